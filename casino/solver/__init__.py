"""The expert bot: exchanges by CFR-solved tables and plays by sampling hidden cards."""
