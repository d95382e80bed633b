package english

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

func TestAbbreviations(t *testing.T) {
	for _, tt := range []struct{ rule, text, label, term string }{
		{"capitals of the words", "Transport Layer Security (TLS) protects data. TLS uses keys.", "Transport Layer Security", "TLS"},
		{"letters of common nouns", "The glomerular filtration rate (GFR) fell.", "glomerular filtration rate", "GFR"},
		{"after a verb", "Use Structured Query Language (SQL) here.", "Structured Query Language", "SQL"},
		{"a plural", "Unmanned aerial vehicles (UAVs) map forests.", "unmanned aerial vehicle", "UAVs"},
		{"with a digit", "The vesicular transporter 2 (VT2) moves it.", "vesicular transporter 2", "VT2"},
		{"letters inside a word", "The polymerase chain reaction (PCR) copies genes.", "polymerase chain reaction", "PCR"},
		{"phrases before it", "The job prints a stream in newline delimited JSON (NDJSON) format.", "newline delimited JSON", "NDJSON"},
		{"of parts of a hyphenated word", "An X-ray diffraction (XRD) shows crystals.", "X-ray diffraction", "XRD"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			e := extractFrom(t, newExtractor(t), tt.text, corpus.ContentPlain)
			if !slices.ContainsFunc(e.Concepts, func(c knowledge.ExtractedConcept) bool {
				return c.Label == tt.label && slices.Contains(c.SearchTerms, tt.term)
			}) {
				t.Errorf("%q: no %q with %q in %v", tt.text, tt.label, tt.term, e.Concepts)
			}
		})
	}
	t.Run("a bracket that abbreviates nothing", func(t *testing.T) {
		e := extractFrom(t, newExtractor(t), "The northern harbour (XYZ) closed. XYZ opened.", corpus.ContentPlain)
		for _, c := range e.Concepts {
			if slices.Contains(c.SearchTerms, "XYZ") {
				t.Errorf("%q has the search term XYZ", c.Label)
			}
		}
	})
}

func TestShortForms(t *testing.T) {
	for s, want := range map[string]bool{
		"TLS": true, "mRNA": true, "UAVs": true, "R&D": true, "TCP/IP": true, "VT2": true, "Dr": true, "Phd": true, "p.H": true,
		"T": false, "tls": false, "Example": false, "ABCDEFGHIJK": false, "A B": false, "X+Y": false, "1999": false,
	} {
		if got := isShortForm(s); got != want {
			t.Errorf("%q can abbreviate a name: %v, want %v", s, got, want)
		}
	}
}

func TestLongForms(t *testing.T) {
	for _, c := range []struct{ rule, before, short, want string }{
		{"each letter starts a word", "the transport layer security", "TLS", "transport layer security"},
		{"a letter inside a word", "a chain of messenger ribonucleic acid", "RNA", "ribonucleic acid"},
		{"words between", "the University of Oslo", "UO", "University of Oslo"},
		{"a plural", "two unmanned aerial vehicles", "UAVs", "unmanned aerial vehicles"},
		{"a hyphen starts a word", "by magneto-optical drive", "MOD", "magneto-optical drive"},
		{"the first letter starts a part of a word", "by electro-magnetic pulse", "MP", "electro-magnetic pulse"},
		{"no match", "the northern harbour", "XYZ", ""},
		{"a small word before", "the extra layer", "TL", "the extra layer"},
		{"no mark in between", "transport, layer security", "TLS", ""},
		{"itself", "the TLS", "TLS", ""},
		{"too far back", "transport of goods over land and sea and air with some more of layer security", "TLS", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			tokens := tokensOf(t, c.before)
			got := ""
			if from, ok := longForm(tokens, c.short); ok {
				got = c.before[tokens[from].start:]
			}
			if got != c.want {
				t.Errorf("%q (%s) is %q, want %q", c.before, c.short, got, c.want)
			}
		})
	}
}
