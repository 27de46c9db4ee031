"""The decide stage: a policy turns evidence into a verdict: apply by itself, queue, or ignore."""
