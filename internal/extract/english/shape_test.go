package english

import "testing"

func TestShapes(t *testing.T) {
	for s, want := range map[string]kind{
		"lane": kindWord, "Lane": kindWord, "NASA": kindWord, "U.S.A": kindWord, "e.g": kindWord, "x-ray": kindWord, "lane's": kindWord,
		"PostgreSQL": kindWord, "McDonald": kindWord, "MacArthur": kindWord, "R&D": kindWord, "TCP/IP": kindWord, "3D-printer": kindWord,
		"12": kindNumber, "3.50": kindNumber, "1,000": kindNumber, "12:30": kindNumber, "4th": kindNumber, "10ms": kindNumber, "1990s": kindNumber,
		"pollInterval": kindCode, "LaneManager": kindCode, "worker_lanes": kindCode, "main.py": kindCode, "kg_api.jobs": kindCode, "a/b": kindCode,
		"me@example.org": kindJunk, "--": kindJunk, "-": kindJunk,
	} {
		if got := shapeOf(s); got != want {
			t.Errorf("%q is of kind %d, want %d", s, got, want)
		}
	}
}

// TestWordShapes checks what a word looks like: one row for each word, with the
// questions that are answered with yes.
func TestWordShapes(t *testing.T) {
	questions := map[string]func(string) bool{
		"camel": camel, "dotted": dotted, "upper": isUpper, "capital": isCapital, "mixed": mixedCase, "acronym": isAcronym, "unspaced": unspacedScript,
	}
	for word, yes := range map[string][]string{
		"lane":         {},
		"Lane":         {"capital"},
		"pollInterval": {"camel", "mixed"},
		"LaneManager":  {"camel", "capital", "mixed"},
		"McDonald":     {"capital", "mixed"},
		"MacArthur":    {"capital", "mixed"},
		"Jean-Luc":     {"capital"},
		"PostgreSQL":   {"capital", "mixed"},
		"NASA":         {"upper", "capital", "mixed", "acronym"},
		"mRNA":         {"mixed", "acronym"},
		"PCs":          {"capital", "mixed", "acronym"},
		"HTTP/2":       {"upper", "capital", "mixed", "acronym"},
		"ABCDEFGHIJK":  {"upper", "capital", "mixed"},
		"main.py":      {"dotted"},
		"kg_api.jobs":  {"dotted"},
		"e.g":          {},
		"U.S.A":        {"upper", "capital", "mixed", "acronym"},
		"知識":           {"unspaced"},
		"カナ":           {"unspaced"},
		"ภาษา":         {"unspaced"},
		"Straße":       {"capital"},
		"Ökonomie":     {"capital"},
		"42":           {},
	} {
		for question, ask := range questions {
			want := false
			for _, q := range yes {
				want = want || q == question
			}
			if got := ask(word); got != want {
				t.Errorf("%q: %s %v, want %v", word, question, got, want)
			}
		}
	}
}

func TestCodeNames(t *testing.T) {
	for code, want := range map[string]string{
		"worker_lanes":    "worker_lanes",
		"POST /jobs/{id}": "POST /jobs/{id}",
		"claim(ctx)":      "claim",
		"size=3":          "size",
		"kg doctor":       "kg doctor",
		"if (x)":          "",
		"let size = 3":    "",
		"a b c d e":       "",
		"x":               "",
		"1 + 2":           "",
		"\"text\"":        "",
		"***":             "",
		"name:":           "name",
		".golangci":       "golangci",
		"a much longer name that goes on for more than sixty bytes, and then some": "",
	} {
		if got := codeName(code); got != want {
			t.Errorf("%q names %q, want %q", code, got, want)
		}
	}
}
