package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// column is one column of a grid.
type column struct {
	name  string
	right bool // numbers
	flex  bool // is cut when the terminal is too narrow; one column at most
}

// leastFlex is the narrowest that a flexible column becomes.
const leastFlex = 12

// grid is a table without lines: headers in capitals, two spaces between
// columns.
type grid struct {
	columns []column
	rows    [][]string
}

func newGrid(columns ...column) *grid { return &grid{columns: columns} }

// add appends a row; each cell becomes one line of printable text.
func (g *grid) add(cells ...string) {
	for i := range cells {
		cells[i] = oneLine(cells[i])
	}
	g.rows = append(g.rows, cells)
}

// write draws the grid in width columns, 0 for as many as it needs. mark
// colours a cell and may be nil.
func (g *grid) write(w io.Writer, width int, p paint, mark func(column int, cell string) string) {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	flex := g.flexWidth(width)
	var configs []table.ColumnConfig
	header := make(table.Row, len(g.columns))
	for i, c := range g.columns {
		header[i] = p.bold(strings.ToUpper(c.name))
		config := table.ColumnConfig{Number: i + 1}
		if c.right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for _, cells := range g.rows {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			if g.columns[i].flex {
				cell = cut(cell, flex)
			}
			if mark != nil {
				cell = mark(i, cell)
			}
			row[i] = cell
		}
		t.AppendRow(row)
	}
	for line := range strings.SplitSeq(t.Render(), "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// flexWidth returns what the other columns leave of width to the flexible one.
func (g *grid) flexWidth(width int) int {
	if width <= 0 {
		return 0
	}
	left := width
	for i, c := range g.columns {
		if i > 0 {
			left -= 2
		}
		if c.flex {
			continue
		}
		widest := text.StringWidth(c.name)
		for _, cells := range g.rows {
			widest = max(widest, text.StringWidth(cells[i]))
		}
		left -= widest
	}
	return max(left, leastFlex)
}

// writeGrid draws g on standard output.
func (a *app) writeGrid(g *grid, mark func(column int, cell string) string) {
	a.canvas().draw(g, mark)
}
