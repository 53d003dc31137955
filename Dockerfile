# A small image that runs as nobody in particular: docker build -t research-eval . && docker run --rm research-eval demo
FROM python:3.11-slim AS build
COPY . /source
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir -c /source/constraints.txt /source

FROM python:3.11-slim
COPY --from=build /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
RUN useradd --uid 1000 --create-home user && install -d -o user -g user /work
USER user
WORKDIR /work
ENTRYPOINT ["research-eval"]
CMD ["--help"]
