"""A small folder of notes that tests look up for real."""

from pathlib import Path

NOTES = {
    "billing/refund.md": """---
title: Refund policy
keywords: [refund policy, money back]
category: billing
---
# Refund policy

## Time limit
A customer may ask for a refund within thirty days of the purchase.

## How it is paid
The amount goes back to the card that was charged, within five working days.
""",
    "billing/chargeback.md": """---
title: Chargebacks
keywords: [chargeback]
category: billing
entities: [Visa]
---
A chargeback starts when the cardholder disputes a payment with the bank.
Send the delivery note and the signed order as evidence.
""",
    "network/wifi.md": """---
title: Wireless network in the office
keywords: [wifi, guest network]
category: network
---
Visitors join the guest network with a code from the reception; it is valid for one day.
""",
    "network/vpn.md": """---
title: Remote access
keywords: [vpn]
category: network
---
Working from home needs the tunnel. It disconnects after twelve hours without traffic.
""",
    "access/badge.md": """---
title: Door badges
keywords: [badge]
category: access
---
A lost badge is blocked at the reception at once; a new one costs ten euros.
""",
    "travel/shuttle.md": """---
title: Shuttle bus
keywords: [shuttle]
category: travel
---
The bus between the two sites leaves every twenty minutes from the main gate.
""",
}


def write_notes(root: Path) -> Path:
    """Writes the notes below `root`, which becomes a knowledge root, and returns it."""
    for source, text in NOTES.items():
        path = root / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
