package formats

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

const glaciers = "A glacier is a river of ice that moves under its own weight, and it forms where more snow falls than melts over many years, so that the snow becomes ice."

// TestHTMLLosesNothing has pages of which a part once vanished.
func TestHTMLLosesNothing(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"a form":            {"<html><form><p>It melts.</p><label>Name</label><input value=no><select><option>no</select><button>no</button></form>", "It melts.\n\nName"},
		"a page in a form":  {"<html><body><form id=aspnetForm><h1>Ice</h1><table><tr><td>It melts.</table></form>", "# Ice\n\nIt melts."},
		"a menu":            {"<html><nav><a href=/>Home</a></nav><p>It melts.</p>", "Home\n\nIt melts."},
		"marks of tags":     {"<html><p>a -&gt; b &amp;&amp; c &lt;d&gt;, &amp;gt;</p>", "a -> b && c <d>, &gt;"},
		"two lists":         {"<html><ul><li>a</ul><ul><li>b</ul><p>It melts.</p>", "- a\n\n\n- b\n\nIt melts."},
		"an area with text": {"<html><form><textarea>It melts.</textarea></form>", "It melts."},
	} {
		if d, err := read(t, c.page); err != nil || strings.ReplaceAll(d.Text, "\n\n\n", "\n\n") != strings.ReplaceAll(c.want, "\n\n\n", "\n\n") {
			t.Errorf("%s: got %q and %v, want %q", name, d.Text, err, c.want)
		}
	}
}

// TestHTMLRegions has what stands around the text of a page as places of its own.
func TestHTMLRegions(t *testing.T) {
	d, err := read(t, "<html><header><a href=/>The site</a></header><nav><ul><li><a href=a>News</a><li><a href=b>About</a></ul></nav><main><h1>Ice</h1><p>"+glaciers+
		"</p><h2>Loss</h2><p>"+glaciers+"</p></main><footer><p>All rights are ours.</p></footer>")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, p := range d.Places {
		end := len(d.Text)
		if i+1 < len(d.Places) {
			end = d.Places[i+1].Start
		}
		got[p.Section] += strings.Join(strings.Fields(d.Text[p.Start:end]), " ")
	}
	for section, want := range map[string]string{
		corpus.SectionNotice: "The siteAll rights are ours.", corpus.SectionNavigation: "- News - About", "Ice": "# Ice " + glaciers, "Ice > Loss": "## Loss " + glaciers,
	} {
		if got[section] != want {
			t.Errorf("%s: got %q, want %q", section, got[section], want)
		}
	}
	if strings.ContainsAny(d.Text, string(markMain)+string(markNavigation)+string(markNotice)) {
		t.Errorf("the text has marks: %q", d.Text)
	}
}

// TestHTMLRegionsByReader has a page whose elements do not say what they are for.
func TestHTMLRegionsByReader(t *testing.T) {
	menu := "<div class=menu>" + strings.Repeat("<div><a href=x>Another page of the site</a></div>", 8) + "</div>"
	text := "<div class=content>" + strings.Repeat("<p>"+glaciers+"</p>", 8) + "</div>"
	d, err := read(t, "<html><body>"+menu+text+"<div class=sidebar><div>Sign up for the letter</div></div>")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, p := range d.Places {
		sections[p.Section] = true
	}
	if !sections[corpus.SectionNavigation] || !sections[""] || !strings.HasPrefix(d.Places[0].Section, corpus.SectionNavigation) {
		t.Errorf("got the places %+v", d.Places)
	}
	if d, err := read(t, "<html><p>"+string(markNavigation)+"It melts.</p>"); err != nil || d.Text != "It melts." {
		t.Errorf("a mark in a page: got %q and %v", d.Text, err)
	}
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{page, "<nav>a</nav><p>b", "<form><textarea>a", "\ue001", "<table><tr><td><ul><li><pre>a\n b</pre>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		d, err := readHTML(t.Context(), []byte(body))
		checkRead(t, d, err)
	})
}
