"""Figures for print: numbers become marks on a sheet, and a sheet becomes SVG or PDF; no browser and no plotly."""
