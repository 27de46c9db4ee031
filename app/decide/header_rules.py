"""Rules of a policy for elements of headers."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydicom.datadict import tag_for_keyword

from deidra.app.metadata.profile import Option
from deidra.app.metadata.recipes import Rule, RuleAction, path_pattern, tag_pattern


class Section(BaseModel):
    """A table of a policy: keys that it does not know are errors, and nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class HeaderRule(Section):
    """One rule of a recipe: what happens to elements that match every selector given here."""

    action: RuleAction = Field(description="keep, remove, empty, dummy, replace, remap, shift, clean or hash")
    tag: str = Field("", description="(gggg,eeee); x stands for any digit")
    keyword: str = Field("", description="keyword of the element; * and ? as in file names")
    vr: str = Field("", description="value representation")
    creator: str = Field("", description="private creator; * and ? as in file names")
    value: str = Field("", description="the new value of a replacement")
    path: str = Field(
        "", description="where the element stands: (gggg,eeee)[item]/(gggg,eeee); [*] any item, **/ any sequences"
    )
    when: dict[str, str] = Field(
        default_factory=dict, description="only in files where these keywords have these values (patterns)"
    )

    @model_validator(mode="after")
    def _complete(self) -> HeaderRule:
        if not (self.tag or self.keyword or self.vr or self.creator or self.path):
            raise ValueError("a rule names elements by tag, keyword, vr, creator or path")
        if self.path:
            path_pattern(self.path)
        if self.tag:
            tag_pattern(self.tag)
        unknown = [keyword for keyword in self.when if tag_for_keyword(keyword) is None]
        if unknown:
            raise ValueError(f"when: {unknown[0]!r} is no keyword of the standard")
        if self.action is RuleAction.REPLACE and not self.value:
            raise ValueError("a replacement needs a value")
        return self

    @property
    def rule(self) -> Rule:
        """The rule as the header engine takes it."""
        when = tuple(self.when.items())
        return Rule(self.action, self.tag, self.keyword, self.vr, self.creator, self.value, self.path, when)


class HeaderSection(Section):
    """DICOM headers."""

    rules: tuple[HeaderRule, ...] = Field((), description="a recipe; the first rule that matches an element counts")

    options: tuple[Option, ...] = Field(
        (), description="options of PS3.15 E.3 in force beside the Basic profile; dates are set under [dates]"
    )

    @model_validator(mode="after")
    def _dates_elsewhere(self) -> HeaderSection:
        if {Option.MODIFIED_DATES, Option.FULL_DATES} & set(self.options):
            raise ValueError("date options follow from [dates] mode")
        return self
