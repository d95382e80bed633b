package answers

import (
	"slices"
	"testing"
)

func TestLiterals(t *testing.T) {
	for question, want := range map[string][]string{
		`what is "exactly so" here`:                         {"exactly so"},
		"who wrote `foo bar`?":                              {"foo bar"},
		"was heißt „genau so“?":                             {"genau so"},
		"什么是「精确」？":                                          {"精确"},
		"is it 'single quoted' here?":                       {"single quoted"},
		"what's a server's lane":                            nil,
		"what is in /etc/passwd?":                           {"/etc/passwd"},
		"how does LISTEN/NOTIFY wake a lane":                {"LISTEN/NOTIFY"},
		"yes and/or no, he/she at 5 km/h":                   nil,
		"see https://example.com/a?b=c please":              {"https://example.com/a?b=c"},
		"what does --depth do, and -f?":                     {"--depth", "-f"},
		"use --file=x.txt":                                  {"--file=x.txt"},
		"What came with Debian 2.0?":                        {"Debian 2.0", "2.0"},
		"Does it run on Windows 11 or PostgreSQL 15?":       {"Windows 11", "PostgreSQL 15"},
		"what changed in v1.2.3 and in 1.0-rc1":             {"v1.2.3", "1.0-rc1"},
		"In May 2020 or in March 5 it was":                  nil,
		"What is max_jobs?":                                 {"max_jobs"},
		"what does maxJobs do, and StatefulSetSpec":         {"maxJobs", "StatefulSetSpec"},
		"set KG_DATA_DIR in pg_catalog.pg_class":            {"KG_DATA_DIR", "pg_catalog.pg_class"},
		"where is README.md, and os.path.join()":            {"README.md", "os.path.join"},
		"what is std::vector?":                              {"std::vector"},
		"E0382 and CVE-2024-3094 and x86_64":                {"E0382", "CVE-2024-3094", "x86_64"},
		"the 19th and the 1990s, e.g. 3.5 % of 10km":        {"3.5"},
		"Who is John McDonald of YouTube in the U.S.?":      nil,
		"why pq: error: connection refused?":                {"error: connection refused"},
		"main.go:12:3: undefined: x":                        {"main.go:12:3: undefined: x"},
		"what does panic: runtime error: index mean?":       {"panic: runtime error: index"},
		"How many people live in Rome?":                     nil,
		"What is a KeyError: 'name' in Python":              {"KeyError: 'name' in Python"},
		"authentication failed: no pg_hba.conf entry for x": {"authentication failed: no pg_hba.conf entry for x"},
		"": nil,
	} {
		if got := Literals(question); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", question, got, want)
		}
	}
}

func TestLiteralIn(t *testing.T) {
	for _, c := range []struct {
		text, literal, want string // what is marked; "" nothing
	}{
		{"it uses LISTEN/NOTIFY here", "LISTEN/NOTIFY", "LISTEN/NOTIFY"},
		{"it uses listen/notify here", "LISTEN/NOTIFY", "listen/notify"},
		{"README.md, then readme.md", "readme.md", "readme.md"},
		{"Debian\n  2.0 is out", "Debian 2.0", "Debian\n  2.0"},
		{"Debian 2.0.1 and Debian 2.05", "Debian 2.05", "Debian 2.05"},
		{"version 12.05", "2.05", ""},
		{"max_jobs_left", "max_jobs", ""},
		{"a --depths flag", "--depth", ""},
		{"use --depth=3", "--depth", "--depth"},
		{"sie heißt ÜBER so", "über so", "ÜBER so"},
		{"说“精确”的", "精确", "精确"},
		{"it said ‘no’", "'no'", "‘no’"},
		{"nothing", "thing", ""},
		{"", "x", ""},
		{"x", "", ""},
	} {
		at, ok := LiteralIn(c.text, c.literal)
		if got := c.text[at.Start:at.End]; got != c.want || ok != (c.want != "") {
			t.Errorf("%q in %q: found %q (%v), want %q", c.literal, c.text, got, ok, c.want)
		}
	}
}
