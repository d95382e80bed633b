package answers

import (
	"testing"
	"time"
)

func TestContradictions(t *testing.T) {
	for name, c := range map[string]struct{ a, b, newer, older string }{
		"a number":           {"The Rhine is 1,320 km long from source to mouth.", "The Rhine is 1,230 km long from its source to its mouth.", "1,230 km", "1,320 km"},
		"a date":             {"The tower of Brno was opened to the public in 1889.", "The tower of Brno was opened to the public in 1899.", "1899", "1889"},
		"a number of things": {"Each server of the cluster has three lanes for jobs.", "Each server of the cluster has four lanes for jobs.", "four", "three"},
		"a day":              {"The law on water was passed on 3 May 2011 by the council.", "The law on water was passed on 4 May 2011 by the council.", "4 May 2011", "3 May 2011"},

		"the same in another form": {"The law on water was passed on 3 May 2011 by the council.", "The law on water was passed on May 3, 2011 by the council.", "", ""},
		"rounded":                  {"The Rhine is about 1,200 km long from source to mouth.", "The Rhine is 1,230 km long from its source to its mouth.", "", ""},
		"another unit":             {"The Rhine is 1,230 km long from source to mouth.", "The Rhine is 764 miles long from source to mouth.", "", ""},
		"another name":             {"The Rhine is 1,230 km long from source to mouth.", "The Elbe is 1,094 km long from source to mouth.", "", ""},
		"another matter":           {"The Rhine is 1,230 km long from source to mouth.", "The Rhine carries 2,330 km of ships each day.", "", ""},
		"two that differ":          {"In 1990 the town of Graz had 230 schools for children.", "In 2000 the town of Graz had 250 schools for children.", "", ""},
		"denied":                   {"The limit for one server is not 3 lanes at once.", "The limit for one server is 4 lanes at once.", "", ""},
		"short":                    {"It has 3 lanes.", "It has 4 lanes.", "", ""},
		"other things counted":     {"Each server of the cluster has three lanes for jobs.", "Each server of the cluster has four slots for jobs.", "", ""},
	} {
		old, young := Statement{Document: "old", Written: time.Unix(1, 0), Passage: NewPassage("First. "+c.a, true)}, Statement{Document: "young", Written: time.Unix(2, 0), Passage: NewPassage(c.b, true)}
		for _, all := range [][]Statement{{old, young}, {young, old}} {
			got := Contradictions(all)
			if c.newer == "" {
				if len(got) != 0 {
					t.Errorf("%s: %+v", name, got)
				}
				continue
			}
			if len(got) != 1 {
				t.Errorf("%s: %d contradictions, want one", name, len(got))
				continue
			}
			read := func(c Claim) string { return all[c.Statement].Passage.Text[c.Value.Start:c.Value.End] }
			if newer, older := read(got[0].Newer), read(got[0].Older); newer != c.newer || older != c.older || all[got[0].Newer.Statement].Document != "young" {
				t.Errorf("%s: %q against %q, want %q against %q", name, newer, older, c.newer, c.older)
			}
		}
	}
	t.Run("within one document", func(t *testing.T) {
		if got := Contradictions([]Statement{{Document: "d", Passage: NewPassage("The Rhine is 1,320 km long from source to mouth.", true)}, {Document: "d", Passage: NewPassage("The Rhine is 1,230 km long from source to mouth.", true)}}); len(got) != 0 {
			t.Errorf("%+v", got)
		}
	})
}
