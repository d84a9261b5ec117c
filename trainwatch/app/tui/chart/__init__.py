"""Charts of a whole history in braille: arrays -> traces -> bins -> cells (docs/design/charts.md)."""
