package serve

import (
	"fmt"
	"strings"
)

// exampleWidth bounds the lines of the help in the example.
const exampleWidth = 100

// example is a settings file with every setting at its default, each in a comment, which
// deploy/kappa.env.example is.
func example(table []setting) string {
	var b strings.Builder
	b.WriteString("# Settings of kg serve: NAME=value, with # at the beginning of a comment. A line without its # is\n" +
		"# heeded; docs/configuration.md says more of each. Variables of the environment win over this file.\n")
	for _, row := range table {
		if row.tests {
			continue
		}
		facts := strings.ToUpper(row.help[:1]) + row.help[1:] + "."
		if row.rule != "" {
			facts += " It is " + row.rule + "."
		}
		value := row.def
		if row.inWords {
			value = ""
			if row.def != "none" {
				facts += " Without it: " + row.def + "."
			}
		}
		fmt.Fprintf(&b, "\n%s#%s=%s\n", commented(facts), row.name, value)
	}
	return b.String()
}

// commented breaks text into lines of comments.
func commented(text string) string {
	var b strings.Builder
	line := "#"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > exampleWidth {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
