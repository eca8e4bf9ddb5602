"""Am I covered? Whether an institution reports in a data year, by Regulation C."""
