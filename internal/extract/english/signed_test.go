package english

import (
	"slices"
	"testing"
)

// TestSignedNames reads names that signs belong to, and names whose S is no plural.
func TestSignedNames(t *testing.T) {
	for text, want := range map[string][]string{
		"C++ is a programming language. C# is a programming language. HTTPS encrypts traffic. HTTP carries requests.": {"C#", "C++", "HTTP", "HTTPS", "programming language"},
		"C is a programming language. C++ extends C. C# runs on .NET. F# runs on .NET. Node.js runs JavaScript.":      {".NET", "C", "C#", "C++", "F#", "JavaScript", "Node.js"},
		"AT&T sells phones. R&D costs money. The router uses TCP/IP.":                                                 {"AT&T", "R&D", "TCP/IP"},
		"The compiler is written in C++. The server is written in C#. The library uses C.":                            {"C", "C#", "C++"},
	} {
		labels := labelsOf(t, text)
		for _, label := range want {
			if !slices.Contains(labels, label) {
				t.Errorf("%s\nread %q, without %s", text, labels, label)
			}
		}
	}
	for _, text := range []string{"Vitamin C heals wounds. The plan C failed.", "It ends .Next it starts.", "See section C. It is short."} {
		if labels := labelsOf(t, text); slices.Contains(labels, "C") || slices.Contains(labels, ".Next") {
			t.Errorf("%s\nread %q", text, labels)
		}
	}
}
