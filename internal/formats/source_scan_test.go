package formats

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// programs are source code, and what is read of it.
var programs = map[string]struct{ code, want string }{
	"C": {
		"#include <ice.h>\n#define MELT(x) /* once */ \\\n\tdo { } while (0)\n\n/* A river of ice. */\nstruct glacier {\n\tint km; // long\n};\n\n" +
			"// Melts.\nstatic struct water *melt(struct glacier *g)\n{\n\tif (g) { /* whole */ puts(\"// no\"); }\n\tchar c = '\"'; // a quote\n\treturn boil('\\'');\n}\n\n" +
			"/* Freezes. */\nint\nfreeze(x)\n\tint x;\n{\n}\nPyAPI_FUNC(void) Ice_Break(int); // on rocks\nstruct ice *a = make(b);\n",
		"once\n\n## glacier\n\nA river of ice.\n\nlong\n\n## melt\n\nMelts.\n\nwhole\na quote\n\nFreezes.\n\n## freeze\n\n## Ice_Break\n\non rocks",
	},
	"C++": {
		"namespace ice {\n/// A river.\nclass ICE_API Glacier final : Thing {\n  // Makes one.\n  explicit Glacier(int km) : km_(km) {}\n  int km_ = 1'000; // a quote\n};\n" +
			"// Melts.\ntemplate <class T> void Glacier::melt() const { run(); }\n}\n",
		"## ice\n\n## Glacier\n\nA river.\n\n## Glacier\n\nMakes one.\n\na quote\n\n## Glacier::melt\n\nMelts.",
	},
	"C#": {
		"namespace Ice.Rivers;\n/// <summary>A river.</summary>\npublic record Glacier(int Km) {\n  // Melts.\n  public string Melt() => @\"c:\\ice\"\" // no\n // no\";\n  [Test] public void Run() { Go(); } // now\n}\n",
		"## Ice.Rivers\n\n## Glacier\n\n<summary>A river.</summary>\n\n## Melt\n\nMelts.\n\n## Run\n\nnow",
	},
	"Dart": {"/// A river.\nclass Glacier {\n  /// Melts.\n  void melt(int a) { run('// no'); }\n}\n", "## Glacier\n\nA river.\n\n## melt\n\nMelts."},
	"Go": {
		"//go:build linux\n\n// Package ice melts.\npackage ice\n\n//export Melt\n// Melt melts.\nfunc (g *Glacier[T]) Melt(f func(int) error) (n int) {\n\tx := `// no\n` + \"\\\"// no\" // yes\n\tgo func(a int) error { return nil }(1)\n\treturn '\"'\n}\n\n// A Glacier is a river.\ntype Glacier[T any] struct{} /* of\nice */\n",
		"Package ice melts.\n\n## Melt\n\nMelt melts.\n\nyes\n\n## Glacier\n\nA Glacier is a river.\n\nof\nice",
	},
	"Java": {
		"package ice;\n/** A river. */\n@Test(\"x\")\npublic class Glacier<T extends Ice> {\n  /** Makes one. */\n  Glacier() throws Cold { this(1); }\n  // Melts.\n  public <T> List<T> melt(int km) { return run(km); }\n  String s = \"\"\"\n  // no \" \"\"\"; // yes\n}\n/** Cold. */\nenum Ice { BLUE(1), GREEN(2); }\n",
		"A river.\n\n## Glacier\n\n## Glacier\n\nMakes one.\n\n## melt\n\nMelts.\n\nyes\n\n## Ice\n\nCold.",
	},
	"JavaScript": {
		"#!/usr/bin/env node\n/** Melts. */\nexport default async function* melt(ice) {\n  const a = /[/\"]\\/*/.test(ice) / 2; // divides\n  return `${ice ? `// no ${ {} }` : '}'} /* no */`; // yes\n}\nclass Glacier {\n  // Flows.\n  async flow(km) { this.run(km); }\n}\nlet type = x.class / y; // halves\n",
		"## melt\n\nMelts.\n\ndivides\nyes\n\n## Glacier\n\n## flow\n\nFlows.\n\nhalves",
	},
	"Kotlin": {"/* A /* very */ long river. */\ndata class Glacier(val km: Int)\n// Melts.\nfun <T> List<T>.melt(): Int = 1\nval c = '\"' // a quote\n", "## Glacier\n\nA /* very */ long river.\n\n## List\n\nMelts.\n\na quote"},
	"Lua":    {"-- Melts.\nlocal function melt(ice)\n  --[[ slowly\n  ]]\n  return [[ -- no ]]\nend\nfunction ice.break(x) end\n", "## melt\n\nMelts.\n\nslowly\n\n## ice.break"},
	"Protocol Buffer": {
		"// A river.\nmessage Glacier {\n  int32 km = 1; // long\n}\nservice Ice {\n  // Melts.\n  rpc Melt(Glacier) returns (Water);\n}\n",
		"## Glacier\n\nA river.\n\nlong\n\n## Ice\n\n## Melt\n\nMelts.",
	},
	"Python": {
		"\"\"\"Ice melts.\"\"\"\nimport os\n\nclass Glacier:\n    r'''A river.\n    Of ice.'''\n    def __init__(self, km):  # long\n        \"\"\"Makes one.\"\"\"\n        sql = run(\n            \"\"\"SELECT 1\"\"\", '# no', f\"# no\")\n        # Flows.\n        self.km = km\n",
		"Ice melts.\n\n## Glacier\n\nA river.\nOf ice.\n\n## __init__\n\nlong\n\nMakes one.\n\nFlows.",
	},
	"Rust": {
		"/// A river.\npub struct Glacier<'a> { km: &'a str }\n\nimpl Glacier<'_> {\n    /// Melts.\n    pub fn melt(&self) -> char {\n        let x = r#\"// no \"# ; // yes\n        let y = r\"(\" ; // and\n        '\"' // a quote\n    }\n}\n",
		"## Glacier\n\nA river.\n\n## melt\n\nMelts.\n\nyes\nand\na quote",
	},
	"Scala":    {"/** A river. */\ncase class Glacier(km: Int) {\n  // Melts.\n  def melt[T](x: 'T): Char = '\"' // now\n}\n", "## Glacier\n\nA river.\n\n## melt\n\nMelts.\n\nnow"},
	"Solidity": {"/// A river.\ncontract Glacier {\n  // Melts.\n  function melt() public { run(\"// no\"); }\n}\n", "## Glacier\n\nA river.\n\n## melt\n\nMelts."},
	"SQL": {
		"-- The glaciers.\nCREATE TABLE IF NOT EXISTS ice.glaciers (\n  id int, -- a number\n  name text DEFAULT '-- no''\n-- no', /* a /* nested */ name */\n  type text\n);\n-- Melts.\ncreate or replace function melt() returns int as $$\n-- slowly\n$$;\nDROP TABLE old;\n",
		"## ice.glaciers\n\nThe glaciers.\n\na number\n\na /* nested */ name\n\n## melt\n\nMelts.\n\nslowly",
	},
	"Swift": {"/// A river.\nclass Glacier {\n  // Melts.\n  class func melt<T>(x: T) -> String { \"// no\" }\n}\n", "## Glacier\n\nA river.\n\n## melt\n\nMelts."},
	"TypeScript": {
		"import type Ice from 'ice';\n// A river.\nexport interface Glacier<T> {\n  /** Melts. */\n  melt(km: number): void;\n  type: string; // its kind\n}\n",
		"## Glacier\n\nA river.\n\n## melt\n\nMelts.\n\nits kind",
	},
}

func TestScanned(t *testing.T) {
	for language := range syntaxes {
		t.Run(language, func(t *testing.T) {
			p, found := programs[language]
			if !found {
				t.Fatal("there is no program")
			}
			d, err := readSource(t.Context(), p.code, language)
			if err != nil || d.Text != p.want {
				t.Errorf("got %q and %v, want %q", d.Text, err, p.want)
			}
			windows, err := readSource(t.Context(), strings.ReplaceAll(p.code, "\n", "\r\n"), language)
			if err != nil || windows.Text != p.want {
				t.Errorf("with the ends of lines of Windows: got %q and %v, want %q", windows.Text, err, p.want)
			}
		})
	}
}

// TestScannedAsLexed compares what a scanner reads with what a lexer of the language does: no
// word of a comment is lost.
func TestScannedAsLexed(t *testing.T) {
	for language, p := range programs {
		lexed, err := lexed(t.Context(), p.code, language)
		if err != nil {
			t.Fatal(err)
		}
		scanned, err := scanned(t.Context(), p.code, syntaxOf(language))
		if err != nil {
			t.Fatal(err)
		}
		have := strings.Fields(scanned)
		for line := range strings.Lines(lexed) {
			for word := range strings.FieldsSeq(line) {
				if !strings.HasPrefix(line, "#") && strings.ContainsFunc(word, unicode.IsLetter) && !slices.Contains(have, word) {
					t.Errorf("%s: %q of %q is not in %q", language, word, lexed, scanned)
				}
			}
		}
	}
}

// TestScannedRawStrings has strings of C++ that a lexer takes for comments.
func TestScannedRawStrings(t *testing.T) {
	for code, want := range map[string]string{
		"auto a = R\"x(\n// no \" )x\"; // yes": "yes",
		"auto a = u8R\"(// no)\"; // yes":       "yes",
		"auto a = R\"x y(\"; // yes":            "yes", // there is no such mark
		"auto a = R\"(// to the end":            "",
	} {
		if got, err := scanned(t.Context(), code, syntaxOf("C++")); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%q: got %q and %v, want %q", code, got, err, want)
		}
	}
}

// TestScannedHostile_Slow reads megabytes that are made to be read again and again.
func TestScannedHostile_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	scanHostile(t, 1<<18)
}

// TestScannedHostile reads less of them.
func TestScannedHostile(t *testing.T) { scanHostile(t, 2<<10) }

func scanHostile(t *testing.T, size int) {
	t.Helper()
	units := []string{
		"{", "}", "(", "a b(", "a b(\n}\n", "a b()", "func (", "func<", "fun <", "class ", "a.", "a::", "a ", "\n", " ", "/", "/[", "/\\", "//", "/*", "*/", "/*/", "\"", "'", "'\\", "`", "`${", "${", "\"\"\"",
		"'''", "r#\"", "R\"(", "R\"x", "@\"", "\\", "#", "#\\\n", "--", "--[[", "[[", "$$", "1'", "<", "é", "\x80", "create table ", "def f():\n\"\"\"", "func a() {\n", "struct a",
	}
	for _, unit := range units {
		code := strings.Repeat(unit, size/len(unit))
		for language, s := range syntaxes {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			for _, before := range []string{"", "class A { // It melts.\n", "x = "} {
				if text, err := scanned(ctx, before+code, s); err != nil || len(text) > 8*size {
					t.Errorf("%s, %q after %q: %d bytes and %v", language, unit, before, len(text), err)
				}
			}
			stop()
		}
	}
}

// BenchmarkReadSource reads a megabyte of source code, as a scanner does and as a lexer.
func BenchmarkReadSource(b *testing.B) {
	for _, language := range []string{"C", "Go", "JavaScript", "Python", "SQL"} {
		code := strings.Repeat(programs[language].code, 1<<20/len(programs[language].code))
		for name, read := range map[string]func() (string, error){
			"scanned": func() (string, error) { return scanned(b.Context(), code, syntaxOf(language)) },
			"lexed":   func() (string, error) { return lexed(b.Context(), code, language) },
		} {
			b.Run(language+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(code)))
				for b.Loop() {
					if _, err := read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// FuzzScanned has whatever text read as every language: it is always read, and not made much
// longer.
func FuzzScanned(f *testing.F) {
	for _, p := range programs {
		f.Add(p.code)
		f.Add(p.code[len(p.code)/3:])
	}
	f.Fuzz(func(t *testing.T, code string) {
		for language, s := range syntaxes {
			text, err := scanned(t.Context(), code, s)
			if err != nil || len(text) > 8*len(code)+8 {
				t.Errorf("%s: %d bytes became %d, and %v", language, len(code), len(text), err)
			}
		}
	})
}
