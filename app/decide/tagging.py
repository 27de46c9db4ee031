"""The entity tagger that a policy asks for."""

from __future__ import annotations

from collections.abc import Iterable

from deidra.app.decide.policy import Policy
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.model import Identifier


def tagger_of(policy: Policy, known: Iterable[Identifier]) -> EntityTagger:
    """A tagger under the policy; ``known`` are the project's identifiers, of which those count that are private."""
    chosen = policy.detect
    counting = KnownIdentifiers(policy.counting(known))
    return EntityTagger(
        counting,
        policy.types_off,
        network=chosen.network,
        health=policy.reads_health,
        definitions=policy.defined,
        times=not policy.dates.times,
    )
