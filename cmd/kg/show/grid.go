package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Column is one column of a grid.
type Column struct {
	Name  string
	Right bool // numbers
	Flex  bool // is cut when the terminal is too narrow; one column at most
}

// leastFlex is the narrowest that a flexible column becomes.
const leastFlex = 12

// Grid is a table without lines: headers in capitals, two spaces between
// columns.
type Grid struct {
	columns []Column
	rows    [][]string
	notes   map[int]string // below rows, by their number
}

// NewGrid returns a grid without rows.
func NewGrid(columns ...Column) *Grid { return &Grid{columns: columns} }

// Add appends a row; each cell becomes one line of printable text.
func (g *Grid) Add(cells ...string) {
	for i := range cells {
		cells[i] = OneLine(cells[i])
	}
	g.rows = append(g.rows, cells)
}

// Note puts a line below the row that was added last, indented; "" puts none.
func (g *Grid) Note(line string) {
	if line == "" {
		return
	}
	if g.notes == nil {
		g.notes = map[int]string{}
	}
	g.notes[len(g.rows)-1] = OneLine(line)
}

// Write draws the grid in width columns, 0 for as many as it needs. mark
// colours a cell and may be nil.
func (g *Grid) Write(w io.Writer, width int, p Paint, mark func(column int, cell string) string) {
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
		header[i] = p.Bold(strings.ToUpper(c.Name))
		config := table.ColumnConfig{Number: i + 1}
		if c.Right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for _, cells := range g.rows {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			if g.columns[i].Flex {
				cell = Cut(cell, flex)
			}
			if mark != nil {
				cell = mark(i, cell)
			}
			row[i] = cell
		}
		t.AppendRow(row)
	}
	for n, line := range strings.Split(t.Render(), "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		if note := g.notes[n-1]; note != "" { // the first line is the header
			fmt.Fprintln(w, "  "+p.Dim(Cut(note, max(0, width-2))))
		}
	}
}

// flexWidth returns what the other columns leave of width to the flexible one.
func (g *Grid) flexWidth(width int) int {
	if width <= 0 {
		return 0
	}
	left := width
	for i, c := range g.columns {
		if i > 0 {
			left -= 2
		}
		if c.Flex {
			continue
		}
		widest := text.StringWidth(c.Name)
		for _, cells := range g.rows {
			widest = max(widest, text.StringWidth(cells[i]))
		}
		left -= widest
	}
	return max(left, leastFlex)
}
