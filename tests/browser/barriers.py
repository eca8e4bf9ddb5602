"""Barriers on a page that axe does not look for, each kind as a list of what is wrong."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_SCRIPT = Path(__file__).with_suffix(".js").read_text().strip()


def _wrong(page: Page, name: str) -> list[str]:
    return list(page.evaluate(f"{_SCRIPT}.{name}()"))


def small_targets(page: Page) -> list[str]:
    """Return what is too small to be pressed, and too near to something else."""
    return _wrong(page, "smallTargets")


def clipped_text(page: Page) -> list[str]:
    """Return what cuts its text off when the reader spaces it out."""
    return _wrong(page, "clippedText")


def unnamed_regions(page: Page) -> list[str]:
    """Return what scrolls sideways, and no key reaches it or it has no name."""
    return _wrong(page, "unnamedRegions")


def unseen_pictures(page: Page) -> list[str]:
    """Return the pictures that are lost on the dark ground of a reader's own colors."""
    return _wrong(page, "unseenPictures")


def moving(page: Page) -> list[str]:
    """Return what is animated; for pages of readers who want no motion."""
    return _wrong(page, "moving")


def lost_focus(page: Page) -> list[str]:
    """Return where the focus is covered, or cannot be seen, for people who use the keyboard."""
    page.keyboard.press("Tab")
    return _wrong(page, "lostFocus")
