package formats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// placed is a text of a page at a place in points, from the left and from the bottom.
type placed struct {
	x, y float64
	text string
}

// across places rows of cells at these places, one row after the other, and down one column after the
// other.
func across(y float64, at []float64, rows [][]string) (list []placed) {
	for n, row := range rows {
		for i, text := range row {
			if text != "" {
				list = append(list, placed{at[i], y - 14*float64(n), text})
			}
		}
	}
	return list
}

func down(y float64, at []float64, rows [][]string) (list []placed) {
	for i := range at {
		for n, row := range rows {
			if row[i] != "" {
				list = append(list, placed{at[i], y - 14*float64(n), row[i]})
			}
		}
	}
	return list
}

// pdfOfPlaces is a PDF of one page with texts at their places, in this order. Turned, the paper stands
// on its side. Its second font has the letters of Hebrew in the place of the small Latin ones.
func pdfOfPlaces(turned bool, texts ...placed) string {
	content := "BT "
	for _, p := range texts {
		font := "F1"
		if strings.HasPrefix(p.text, "~") {
			font = "F2"
		}
		matrix := fmt.Sprintf("1 0 0 1 %g %g", p.x, p.y)
		if turned {
			matrix = fmt.Sprintf("0 1 -1 0 %g %g", 792-p.y, p.x)
		}
		content += fmt.Sprintf("/%s 10 Tf %s Tm (%s) Tj ", font, matrix, strings.TrimPrefix(p.text, "~"))
	}
	var letters strings.Builder
	for i := range 26 {
		fmt.Fprintf(&letters, "<%02x> <%04x>\n", 'a'+i, 0x5d0+i)
	}
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n/CMapName /H def /CMapType 2 def\n" +
		"1 begincodespacerange <00> <ff> endcodespacerange\n26 beginbfchar\n" + letters.String() + "endbfchar\nendcmap end end"
	rotate, box := "", "0 0 612 792"
	if turned {
		rotate, box = "/Rotate 90", "0 0 792 612"
	}
	return written([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R %s /MediaBox [%s] /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> /Contents 4 0 R >>", rotate, box),
		stream(content + "ET"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>", stream(cmap),
	}, "")
}

var (
	twoColumns = [][]string{
		{"Glaciers are rivers of ice that", "Snow falls on the upper part of"},
		{"move slowly down a valley to the", "a glacier and turns to ice over"},
		{"sea, and they carry with them the", "the years, while the lower part"},
		{"stones of the mountains that they", "of it melts in the sun of the sum-"},
		{"have ground for thousands of years.", "mer and feeds the rivers below."},
	}
	readLeft  = "Glaciers are rivers of ice that\nmove slowly down a valley to the\nsea, and they carry with them the\nstones of the mountains that they\nhave ground for thousands of years."
	readRight = "Snow falls on the upper part of\na glacier and turns to ice over\nthe years, while the lower part\nof it melts in the sun of the summer and feeds the rivers below."
	aTable    = [][]string{
		{"Glacier", "2021", "2022"}, {"Aletsch", "81.7", "80.2"}, {"Gorner", "53.1", "52.8"}, {"Fiescher", "33.4", "32.9"},
	}
	readTable = "Glacier; 2021; 2022\nAletsch; 81.7; 80.2\nGorner; 53.1; 52.8\nFiescher; 33.4; 32.9"
	before    = []placed{{50, 730, "The area of each of the glaciers was measured in both of the years by the same people."}}
	behind    = []placed{{50, 600, "All of them became smaller in the year between, as they did in those before."}}
)

// ordersOfPages are made pages, and how they are read.
func ordersOfPages() map[string]struct{ body, want string } {
	columns, cells := []float64{50, 320}, []float64{50, 200, 300}
	title := []placed{{150, 740, "How the glaciers of the Alps come and go, and why that is so"}}
	return map[string]struct{ body, want string }{
		"two columns, written across them":            {pdfOfPlaces(false, across(700, columns, twoColumns)...), readLeft + "\n" + readRight},
		"two columns, written one after the other":    {pdfOfPlaces(false, down(700, columns, twoColumns)...), readLeft + "\n" + readRight},
		"two columns below a title, written across":   {pdfOfPlaces(false, slices.Concat(title, across(700, columns, twoColumns))...), title[0].text + "\n" + readLeft + "\n" + readRight},
		"a table, written column after column":        {pdfOfPlaces(false, down(700, cells, aTable)...), readTable},
		"a table, written row after row":              {pdfOfPlaces(false, across(700, cells, aTable)...), readTable},
		"a table between paragraphs":                  {pdfOfPlaces(false, slices.Concat(before, across(700, cells, aTable), behind)...), before[0].text + "\n" + readTable + "\n" + behind[0].text},
		"a table by its columns, between paragraphs":  {pdfOfPlaces(false, slices.Concat(before, down(700, cells, aTable), behind)...), before[0].text + "\n" + readTable + "\n" + behind[0].text},
		"a table of a page on its side, by columns":   {pdfOfPlaces(true, down(500, cells, aTable)...), readTable},
		"two columns of a page on its side, by rows":  {pdfOfPlaces(true, across(500, columns, twoColumns)...), readLeft + "\n" + readRight},
		"a table that reads from the right":           {pdfOfPlaces(false, down(700, []float64{300, 200, 50}, [][]string{{"~cba", "~fed", "~ihg"}, {"~lkj", "81.7", "80.2"}, {"~onm", "53.1", "52.8"}})...), "אבג; דהו; זחט\nיךכ; 81.7; 80.2\nלםמ; 53.1; 52.8"},
		"columns from the right, written across them": {pdfOfPlaces(false, across(700, columns, hebrewColumns(true))...), readHebrew()},
		"footnotes that are written first": {
			pdfOfPlaces(false, slices.Concat(behind, []placed{{290, 40, "7"}}, before, []placed{{50, 716, "They found no more than in the years before."}})...),
			before[0].text + "\nThey found no more than in the years before.\n" + behind[0].text + "\n7",
		},
		"a heading that is written last": {pdfOfPlaces(false, slices.Concat(down(700, columns, twoColumns), title)...), title[0].text + "\n" + readLeft + "\n" + readRight},
		"a caption that is written last stays out of a sentence": {
			pdfOfPlaces(false, slices.Concat(down(700, columns[:1], twoColumns[:4]), down(640, columns, [][]string{{"", "have ground for thousands of years."}}), []placed{{320, 690, "A glacier of the Alps"}})...),
			strings.Join([]string{twoColumns[0][0], twoColumns[1][0], twoColumns[2][0], twoColumns[3][0], twoColumns[4][0], "A glacier of the Alps"}, "\n"),
		},
		"a table whose first column is written last":   {pdfOfPlaces(false, across(700, []float64{200, 300, 50}, [][]string{{"2021", "2022", "Glacier"}, {"81.7", "80.2", "Aletsch"}, {"53.1", "52.8", "Gorner"}, {"33.4", "32.9", "Fiescher"}})...), readTable},
		"a list with bullets stays":                    {pdfOfPlaces(false, across(700, []float64{50, 70}, [][]string{{"-", "ice"}, {"-", "snow and firn"}, {"-", "water"}})...), "- ice\n- snow and firn\n- water"},
		"a list that is set in columns stays":          {pdfOfPlaces(false, down(700, cells, [][]string{{"arete", "firn", "ice"}, {"cirque", "glacier", "kame"}, {"esker", "hanging valley", ""}})...), "arete\ncirque\nesker\nfirn\nglacier\nhanging valley\nice\nkame"},
		"a table with cells of several lines is whole": {pdfOfPlaces(false, across(700, cells, [][]string{{"Glacier", "2021", "Why"}, {"Aletsch", "81.7", "It is large"}, {"", "", "and thick"}, {"Gorner", "53.1", "It is high"}, {"Fiescher", "33.4", "It is cold"}, {"Rhone", "15.3", "It is steep"}, {"Trift", "14.9", "It is low"}, {"Unteraar", "22.7", "It is long"}})...), "Glacier; 2021; Why\nAletsch; 81.7; It is large and thick\nGorner; 53.1; It is high\nFiescher; 33.4; It is cold\nRhone; 15.3; It is steep\nTrift; 14.9; It is low\nUnteraar; 22.7; It is long"},
	}
}

// hebrewColumns are columns of running text in letters of Hebrew, as they stand on paper: the
// letters of the font, the last of a line first.
func hebrewColumns(onPaper bool) (rows [][]string) {
	words := strings.Fields("abgd hvzxt ykl mnse pcq rwt abg dhv zxtyk lmn sep cqr")
	for n := range 6 {
		row := make([]string, 2)
		for column := range row {
			line := make([]string, 0, len(words))
			for i := range words[:7] {
				word := []rune(words[(i+3*n+5*column)%len(words)])
				slices.Reverse(word)
				line = append(line, string(word))
			}
			slices.Reverse(line)
			row[column] = "~" + strings.Join(line, " ")
		}
		rows = append(rows, row)
	}
	return rows
}

// readHebrew is how hebrewColumns read: the right column first, each line from the right.
func readHebrew() string {
	var lines []string
	for _, column := range []int{1, 0} {
		for _, row := range hebrewColumns(true) {
			line := []rune(strings.TrimPrefix(row[column], "~"))
			slices.Reverse(line)
			for i, r := range line {
				if r >= 'a' {
					line[i] = 0x5d0 + r - 'a'
				}
			}
			lines = append(lines, string(line))
		}
	}
	return strings.Join(lines, "\n")
}

// TestOrderOfPages_Slow reads made pages.
func TestOrderOfPages_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for name, c := range ordersOfPages() {
		d, err := shared.Text(t.Context(), []byte(c.body), corpus.ContentPDF)
		if err != nil || d.Text != c.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", name, err, d.Text, c.want)
		}
	}
}

// TestOrderOfManyPieces has pages that are made to take long: every piece may begin a zone, or a run.
func TestOrderOfManyPieces(t *testing.T) {
	var zones, runs []pdfPiece
	for i := range maxPieces {
		row, column := float64(i/2), float64(i%2)
		zones = append(zones, pdfPiece{text: "-", line: i, known: true, box: pdfBox{100 * column, 12 * row, 100*column + 20, 12*row + 10}})
		runs = append(runs, pdfPiece{text: "w", line: i, known: true, box: pdfBox{0, -12 * float64(i), 50, 10 - 12*float64(i)}})
	}
	if text, changed := inOrder(zones); changed || strings.Count(text, "-") != maxPieces {
		t.Error("a page of bullets was put in order")
	}
	text, changed := inOrder(runs)
	if !changed || strings.Count(text, "w") != maxPieces {
		t.Error("a page from the bottom to the top was not put in order")
	}
}

// TestOrderKeepsWords puts pages of random pieces in order: no word is lost or comes twice, whatever
// stands where.
func TestOrderKeepsWords(t *testing.T) {
	changes := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		columns, rows := 1+r.IntN(4), 1+r.IntN(9)
		var pieces []pdfPiece
		for n := range columns * rows {
			column, row := n%columns, n/columns
			if seed%2 == 0 {
				column, row = n/rows, n%rows
			}
			box := pdfBox{left: float64(column)*120 + float64(r.IntN(10)), top: float64(row)*14 + float64(r.IntN(4))}
			box.right, box.bottom = box.left+20+float64(r.IntN(100)), box.top+10
			text := fmt.Sprintf("w%d", n)
			if r.IntN(3) == 0 {
				text = fmt.Sprintf("w%d and %d of those", n, n)
			}
			if r.IntN(20) == 0 {
				box.left, box.right = 0, 480
			}
			pieces = append(pieces, pdfPiece{text: text, line: n / (1 + int(seed)%3), box: box, known: r.IntN(40) > 0})
		}
		text, changed := inOrder(pieces)
		if changed {
			changes++
		}
		var want []string
		for _, p := range pieces {
			want = append(want, strings.Fields(p.text)...)
		}
		got := strings.Fields(strings.ReplaceAll(text, ";", ""))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("page %d: got %q, want %q", seed, got, want)
		}
	}
	if changes == 0 {
		t.Error("no page was put in another order")
	}
}
