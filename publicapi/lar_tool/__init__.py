"""The LAR formatting tool: any spreadsheet becomes a LAR, and a LAR a spreadsheet."""
