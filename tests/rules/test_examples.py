"""The examples in docstrings and in the README of the rules are right."""

from __future__ import annotations

import doctest
import pkgutil
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import kemps_rules
from kemps_rules.house import house_from

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "rules" / "README.md").read_text("utf-8")
MODULES = [module.name for module in pkgutil.iter_modules(kemps_rules.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name: str) -> None:
    assert doctest.testmod(import_module(f"kemps_rules.{name}")).failed == 0


def test_the_readmes_program_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (program,) = re.findall(r"```python\n(.+?)```", README, re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102 - our own README
    assert "{'AC': '', 'BD': 'K'}" in capsys.readouterr().out


def test_the_readmes_house_rules_are_good() -> None:
    (text,) = re.findall(r"```toml\n(.+?)```", README, re.DOTALL)
    house = house_from(tomllib.loads(text), name="ours")
    assert (house.word, house.swap_size, house.tie) == ("PICKLE", "any", "person")


def test_the_reading_order_names_every_module() -> None:
    words = kemps_rules.__doc__ or ""
    assert [name for name in MODULES if f"``{name}``" not in words] == ["errors", "flags", "table"]
