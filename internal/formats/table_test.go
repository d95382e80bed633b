package formats

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tableOf returns the text of a table.
func tableOf(t interface{ Fatal(args ...any) }, rows [][]string) string {
	table := table{text: &strings.Builder{}}
	for _, row := range rows {
		if err := table.row(append([]string{}, row...), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.end(); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(table.text.String())
}

func TestTableHeads(t *testing.T) {
	for name, c := range map[string]struct {
		rows string
		want string
	}{
		"one row":               {"Glacier;Country;Length", "Glacier; Country; Length"},
		"years":                 {"Region;2021;2022\nWallis;3;4\nBern;5;6", "Region: Wallis; 2021: 3; 2022: 4\n\nRegion: Bern; 2021: 5; 2022: 6"},
		"one year":              {"Region;2021\nWallis;3.5\nBern;4", "Region: Wallis; 2021: 3.5\n\nRegion: Bern; 2021: 4"},
		"years after a corner":  {";2021;2022\nWallis;3;4", "Column 1: Wallis; 2021: 3; 2022: 4"},
		"numbers that count":    {"Name;1;2;3\nAnna;5;7;9", "Name: Anna; 1: 5; 2: 7; 3: 9"},
		"names and values":      {"Name;Anna Berg\nCity;Bern\nBorn;1980-05-01\nPages;12", "Name; Anna Berg\n\nCity; Bern\n\nBorn; 1980-05-01\n\nPages; 12"},
		"names of one shape":    {"Name;City\nAnna Berg;Bern\nJo Kay;Rome", "Name: Anna Berg; City: Bern\n\nName: Jo Kay; City: Rome"},
		"numbers below names":   {"Glacier;Length\nAletsch;22.6", "Glacier: Aletsch; Length: 22.6"},
		"no names":              {"Aletsch;22\nBaltoro;63", "Aletsch; 22\n\nBaltoro; 63"},
		"years that are values": {"Aletsch;1999\nBaltoro;2001", "Aletsch; 1999\n\nBaltoro; 2001"},
		"text in three columns": {"Name;City;Job\nAnna;Bern;Cook", "Name: Anna; City: Bern; Job: Cook"},
		"a title above":         {"Glaciers\nName;Length;Country\nAletsch;22;CH", "Glaciers\n\nName: Aletsch; Length: 22; Country: CH"},
		"a name without values": {"Name;Length;Note\nAletsch;22;\nGorner;12;", "Name: Aletsch; Length: 22\n\nName: Gorner; Length: 12\n\nColumns; Name; Length; Note"},
		"a dated head":          {"Region;2021-01;2021-02\nBern;3;4", "Region: Bern; 2021-01: 3; 2021-02: 4"},
		"money and per cent":    {"Item;Price;Share\nIce;€ 5,00;10 %", "Item: Ice; Price: € 5,00; Share: 10 %"},
	} {
		var rows [][]string
		for line := range strings.SplitSeq(c.rows, "\n") {
			rows = append(rows, strings.Split(line, ";"))
		}
		if got := tableOf(t, rows); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestNoCellIsLost has random tables: each cell is in the text, the header's too.
func TestNoCellIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []string{"", "2021", "3.5", "2026-01-31", "word%d", "two words%d", "Name%d:"}
		var rows [][]string
		var cells []string
		for i := range rapid.IntRange(1, 40).Draw(t, "rows") {
			row := make([]string, rapid.IntRange(0, 6).Draw(t, "width"))
			for j := range row {
				row[j] = rapid.SampledFrom(kinds).Draw(t, "kind")
				if strings.Contains(row[j], "%d") {
					row[j] = fmt.Sprintf(row[j], 100*i+j)
				}
				if row[j] == "word" && rapid.Bool().Draw(t, "long") {
					row[j] = strings.Repeat(row[j], maxColumnName)
				}
				cells = append(cells, strings.TrimRight(row[j], ":"))
			}
			rows = append(rows, row)
		}
		text := tableOf(t, rows)
		for _, cell := range cells {
			if !strings.Contains(text, cell) {
				t.Fatalf("%q is not in %q", cell, text)
			}
		}
	})
}

// TestLongNumbers has numbers in a workbook that a sheet shows with a power of ten.
func TestLongNumbers(t *testing.T) {
	cells := `<row r="1"><c r="A1" t="inlineStr"><is><t>IBAN</t></is></c><c r="B1"><v>123456789012345</v></c><c r="C1"><v>0.00000000015</v></c></row>` +
		`<row r="3"><c r="A3"><v>41234567890123</v></c><c r="B3"><v>1E+30</v></c></row>`
	d, err := read(t, workbookOf(nil, cells))
	if err != nil || !strings.Contains(d.Text, "IBAN; 123456789012345; 0.00000000015") || !strings.Contains(d.Text, "41234567890123; 1E+30") {
		t.Errorf("got %q and %v", d.Text, err)
	}
}

// TestSheetOfOneRow has a workbook whose sheet has but one row.
func TestSheetOfOneRow(t *testing.T) {
	d, err := readXLSX(context.Background(), []byte(workbookOf(nil, `<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>City</t></is></c></row>`)))
	if err != nil || !strings.HasSuffix(d.Text, "\n\nName; City") {
		t.Errorf("got %q and %v", d.Text, err)
	}
}
