package formats

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

const page = `<!DOCTYPE html>
<html><head><title>Glaciers</title><style>p { color: red }</style></head>
<body><!-- not said -->
<h1>Glaciers</h1>
<p>A glacier is a <em>river</em> of <a href="https://example.org/ice">ice &amp; snow</a>.</p>
<h2 id="loss">Loss<a class="headerlink" href="#loss">¶</a></h2><ul><li>melting</li><li>calving</li></ul>
<table><tr><th>Glacier</th><th>Length</th></tr><tr><td>Aletsch</td><td>22 km</td></tr></table>
<script>alert("melt")</script></body></html>`

func TestHTML(t *testing.T) {
	d, err := read(t, page)
	if err != nil {
		t.Fatal(err)
	}
	want := `# Glaciers

A glacier is a river of ice & snow.

## Loss

- melting
- calving

Glacier | Length

Aletsch | 22 km`
	if d.Text != want || d.Markup != corpus.ContentMarkdown || len(d.Warnings) != 0 {
		t.Errorf("got %q as %s with %q, want %q", d.Text, d.Markup, d.Warnings, want)
	}
}

// TestHTMLLinks has links beside each other, which are seen apart.
func TestHTMLLinks(t *testing.T) {
	d, err := read(t, `<html><body><p><a href="a">Ice</a><a href="b">Snow</a> melt<a href="c">s</a>.</p></body></html>`)
	if want := "Ice Snow melts."; err != nil || d.Text != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
}

// TestHTMLPictures has what is said of pictures, which is read once.
func TestHTMLPictures(t *testing.T) {
	d, err := read(t, `<html><body><p>See <img alt="a &lt;river&gt; of ice"> here <img alt="ice.png"><img alt=""><img><a href="x"><img alt="The glacier"></a></p>`+
		`<p>The glacier</p><p><span><math><mi>x</mi></math></span><img alt="{x}"> and <img alt="a &lt;river&gt; of ice">.</p></body></html>`)
	if want := "See [a <river> of ice] here\n\nThe glacier\n\nx and ."; err != nil || d.Text != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
}

func TestHTMLEncodings(t *testing.T) {
	d, err := read(t, `<html><head><meta charset="iso-8859-1"></head><p>caf`+"\xe9"+`</p>`)
	if err != nil || d.Text != "café" || !slices.Equal(d.Warnings, []string{"Read as windows-1252, as the page says"}) {
		t.Errorf("got %+v and %v", d, err)
	}
	refused(t, "<html><p>caf\xe9</p>", "not valid UTF-8, at byte 12")
	if d, err := read(t, "<html><style>"+strings.Repeat("p { color: red } ", 100)+"</style><p>"+german); err != nil || !strings.Contains(d.Text, "fließt") || !strings.Contains(d.Warnings[0], "German") {
		t.Errorf("a German page: got %+v and %v", d, err)
	}
	for name, body := range map[string]string{
		"UTF-16":                    wide("<html><p>café</p>", binary.LittleEndian, "\xff\xfe"),
		"UTF-16 without its mark":   wide("<html><p>café and more words</p>", binary.BigEndian, ""),
		"UTF-8 after its mark":      byteOrderMark + "<html><p>café</p>",
		"one wrong byte among many": "<html><p>café " + strings.Repeat("é ", 30) + "\xff</p>",
	} {
		if d, err := read(t, body); err != nil || !strings.HasPrefix(d.Text, "café") {
			t.Errorf("%s: got %+v and %v", name, d, err)
		}
	}
	refused(t, "<html><script>water</script>", "no text")
}

func TestHTMLHostile(t *testing.T) { testHostileHTML(t, 10) }

// TestHTMLHostile_Slow has documents ten times as long.
func TestHTMLHostile_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	testHostileHTML(t, 1)
}

// testHostileHTML reads documents of which each is the given part of its full length.
func testHostileHTML(t *testing.T, part int) {
	refused(t, "<html>"+strings.Repeat("<div>", 100_000/part)+"deep", "512")
	refused(t, "<html><p>"+strings.Repeat("x", maxHTMLBytes), "at most 8 MB")
	for name, body := range map[string]string{
		"formatting":  strings.Repeat("<b><i><u>", 100) + strings.Repeat("<p>water</b>", 3000/part),
		"open tables": strings.Repeat("<table><tr><td>water", 100),
		"attributes":  "<p " + strings.Repeat("a=b ", 100_000/part) + ">water",
		"one word":    strings.Repeat("water", (1<<20)/part),
		"rows":        "<table>" + strings.Repeat("<tr><td>water</td><td>ice</td></tr>", 1000/part) + "</table>",
		"lists":       strings.Repeat("<ul><li>", 240) + strings.Repeat("<p>water</p>", 3000/part),
		"quotes":      strings.Repeat("<blockquote>", 400) + strings.Repeat("<p>water</p>", 3000/part),
		"wide":        "<table><tr>" + strings.Repeat("<td>water", 3000/part) + strings.Repeat("<tr><td>ice", 3000/part),
		"spans":       "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=65534>water</td></tr>", 3) + "</table>",
		"many":        strings.Repeat("<p>water</p>", 3_000/part),
	} {
		start := time.Now()
		d, err := read(t, "<html>"+body)
		if err == nil && !strings.Contains(d.Text, "water") {
			t.Errorf("%s: the text is lost", name)
		}
		if len(d.Text) > 10*len(body) || time.Since(start) > 30*time.Second {
			t.Errorf("%s: %d bytes became %d in %v", name, len(body), len(d.Text), time.Since(start))
		}
		t.Logf("%s: %v, %d bytes, %v", name, time.Since(start), len(d.Text), err)
	}
}

// TestTitleOfPage has pages that are headed by their titles, and those that are not: they
// have headings, begin with the title, or have none that says anything.
func TestTitleOfPage(t *testing.T) {
	const body = "<p>It melts at 328 degrees.</p>"
	for page, want := range map[string]string{
		"<html><head><title> Osmium,\n an element </title></head><body>" + body + "</body></html>":              "# Osmium, an element\n\nIt melts at 328 degrees.",
		"<title>Osmium</title><h3>Its heat</h3>" + body:                                                         "### Its heat\n\nIt melts at 328 degrees.",
		"<title>Osmium</title><h1> </h1>" + body:                                                                "# Osmium\n\nIt melts at 328 degrees.",
		"<title>It melts</title>" + body:                                                                        "It melts at 328 degrees.",
		"<title>Untitled Document</title>" + body:                                                               "It melts at 328 degrees.",
		"<title>melting.html</title>" + body:                                                                    "It melts at 328 degrees.",
		"<title>" + strings.Repeat("osmium ", 40) + "</title>" + body:                                           "It melts at 328 degrees.",
		"<html><body><svg><title>A crucible</title></svg>" + body + "</body></html>":                            "It melts at 328 degrees.",
		"<html><head><title>Osmium</title></head><body><nav><a href=/>Home</a></nav>" + body + "</body></html>": "Osmium",
	} {
		d, err := readHTML(t.Context(), []byte(page))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(d.Text)
		if want == "Osmium" {
			if !strings.Contains(got, "# Osmium\n") || strings.Index(got, "# Osmium") > strings.Index(got, "It melts") {
				t.Errorf("%s\nbecame %q", page, got)
			}
			continue
		}
		if !strings.HasSuffix(got, want) || strings.Contains(want, "# ") != strings.Contains(got, "# ") {
			t.Errorf("%s\nbecame %q, want %q", page, got, want)
		}
	}
}
