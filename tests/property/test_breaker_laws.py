"""The circuit breaker as a state machine beside a plain model of its rules."""

from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from research_eval.tool.search.breaker import BreakerPolicy, CircuitBreaker

POLICIES = st.builds(
    BreakerPolicy,
    failure_threshold=st.none() | st.integers(1, 4),
    failure_rate=st.none() | st.sampled_from([0.25, 0.5, 1.0]),
    window_calls=st.integers(1, 6),
    window_s=st.sampled_from([3.0, 10.0, 60.0]),
    min_calls=st.integers(1, 4),
    slow_call_s=st.none() | st.just(2.0),
    cooldown_s=st.sampled_from([0.5, 2.0, 5.0]),
    cooldown_factor=st.sampled_from([1.0, 2.0, 3.0]),
    cooldown_max_s=st.sampled_from([1.0, 10.0]),
    probes=st.none() | st.integers(1, 2),
)


class Breaker(RuleBasedStateMachine):
    """Calls come, end well, fail, are slow or cancelled, in any order and at any time."""

    @initialize(policy=POLICIES)
    def start(self, policy: BreakerPolicy) -> None:
        self.policy = policy
        self.turns: list[tuple[float, str]] = []
        self.breaker = CircuitBreaker(
            policy, on_change=lambda now, state: self.turns.append((now, state))
        )
        self.now = 0.0
        self.running: list[int] = []
        self.seen: list[tuple[float, bool]] = []  # calls that count, since the last turn
        self.held_until = 0.0

    @rule(seconds=st.floats(0, 8))
    def wait(self, seconds: float) -> None:
        self.now = round(self.now + seconds, 6)  # as clocks tell the time

    @rule(is_last_chance=st.booleans())
    def call(self, is_last_chance: bool) -> None:
        was_open = self.breaker.state == "open"
        early = is_last_chance and self.breaker.may_probe_early(self.now)
        turns = len(self.turns)
        permit = self.breaker.admit(self.now, is_last_chance=is_last_chance)
        if permit is None:
            assert self.breaker.state != "closed"
            return
        assert not was_open or early or self.now >= self.breaker.reopens_at
        assert self.now >= self.held_until
        self._forget(turns)
        self.running.append(permit)

    @rule(data=st.data(), is_good=st.booleans(), took_s=st.sampled_from([0.1, 2.0, 3.0]))
    def end(self, data: st.DataObject, is_good: bool, took_s: float) -> None:
        if not self.running:
            return
        permit = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        before, turns = self.breaker.state, len(self.turns)
        is_current = permit == self.breaker._era
        opened = self.breaker.settle(permit, self.now, is_good=is_good, took_s=took_s)
        policy = self.policy
        is_bad = not is_good or (policy.slow_call_s is not None and took_s > policy.slow_call_s)
        if not is_current:
            assert not opened
            assert len(self.turns) == turns
            return
        self.seen.append((self.now, is_bad))
        has_rule = policy.failure_threshold is not None or policy.failure_rate is not None
        if before == "half_open":
            assert opened == (is_bad and has_rule)
            assert is_bad or self.breaker.state == "closed"
        else:
            assert opened == self._must_open(is_bad)
        if opened:
            rest = self.breaker.reopens_at - self.now
            longest = max(policy.cooldown_s, policy.cooldown_max_s)
            assert policy.cooldown_s - 1e-9 <= rest <= longest + 1e-9
        self._forget(turns)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """A cancelled call changes no state, opens nothing and is in no count."""
        if not self.running:
            return
        permit = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        before = (self.breaker.state, len(self.turns), self.breaker.reopens_at)
        self.breaker.release(permit)
        assert (self.breaker.state, len(self.turns), self.breaker.reopens_at) == before

    @rule(seconds=st.floats(0, 9), is_pause=st.booleans())
    def ask_for_a_pause(self, seconds: float, is_pause: bool) -> None:
        turns = len(self.turns)
        until = round(self.now + seconds, 6)
        self.breaker.hold(self.now, until, is_pause=is_pause)
        self.held_until = max(self.held_until, until)
        self._forget(turns)

    @invariant()
    def probes_are_bounded(self) -> None:
        if self.breaker.state == "half_open":
            assert 0 <= self.breaker._probing <= len(self.running)

    @invariant()
    def turns_follow_each_other(self) -> None:
        legal = {
            "closed": {"open"},
            "open": {"half_open", "closed"},
            "half_open": {"open", "closed"},
        }
        states = ["closed", *(state for _, state in self.turns)]
        assert all(after in legal[state] for state, after in pairwise(states))

    def _must_open(self, is_bad: bool) -> bool:
        policy = self.policy
        threshold = policy.failure_threshold
        if threshold is not None:
            last = [bad for _, bad in self.seen[-threshold:]]
            if len(last) == threshold and all(last):
                return True
        if policy.failure_rate is None or not is_bad:
            return False
        window = [
            bad for at, bad in self.seen[-policy.window_calls :] if at > self.now - policy.window_s
        ]
        enough = len(window) >= policy.min_calls
        return enough and sum(window) >= policy.failure_rate * len(window)

    def _forget(self, turns: int) -> None:
        if len(self.turns) > turns:
            self.seen = []


TestBreaker = Breaker.TestCase


def rests(policy: BreakerPolicy, count: int, healthy_s: float) -> list[float]:
    """Return how long each of `count` rests lasts, where each probe is good and one more call bad."""
    breaker, now, found = CircuitBreaker(policy), 0.0, []
    for _ in range(count):
        permit = breaker.admit(now)
        breaker.settle(permit, now, is_good=False)
        found.append(breaker.reopens_at - now)
        now = breaker.reopens_at
        breaker.settle(breaker.admit(now), now, is_good=True)
        now += healthy_s
    return found


def test_the_cool_down_doubles_up_to_its_longest_while_the_provider_fails_again_soon():
    policy = BreakerPolicy(1, cooldown_s=5, cooldown_factor=2, cooldown_max_s=30, window_s=20)

    assert rests(policy, 5, healthy_s=10) == [5, 10, 20, 30, 30]
    assert rests(policy, 3, healthy_s=20) == [5, 5, 5]


def test_a_cool_down_never_overflows():
    policy = BreakerPolicy(1, cooldown_s=5, cooldown_factor=1e9, cooldown_max_s=30)

    assert set(rests(policy, 100, healthy_s=1)[1:]) == {30}
