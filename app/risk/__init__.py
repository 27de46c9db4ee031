"""How much a leak of each kind of personal data risks, and what masking by risk covers and leaves."""
