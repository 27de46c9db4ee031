"""The review stage: the queue, decisions, persistent undo and redo."""

from deidra.app.review.desk import Change, Progress, ReviewDesk

__all__ = ["Change", "Progress", "ReviewDesk"]
