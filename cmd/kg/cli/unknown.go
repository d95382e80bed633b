package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// mostMeant is how many commands are named to who has named one that does not exist.
const mostMeant = 3

// meant returns the commands that somebody may have meant by a word that is no command of cmd: those
// of cmd that are written much like it, and those elsewhere that are called so.
func meant(cmd *cobra.Command, word string) []string {
	cmd.SuggestionsMinimumDistance = 2 // letters
	var found []string
	for _, name := range cmd.SuggestionsFor(word) {
		found = append(found, cmd.CommandPath()+" "+name)
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			if child.Hidden {
				continue
			}
			path := child.CommandPath()
			if (child.Name() == word || slices.Contains(child.Aliases, word)) && !slices.Contains(found, path) {
				found = append(found, path)
			}
			look(child)
		}
	}
	look(cmd.Root())
	return found[:min(len(found), mostMeant)]
}

// unknownHint says what somebody may have meant, and where to look.
func unknownHint(cmd *cobra.Command, word string) string {
	if found := meant(cmd, word); len(found) > 0 {
		return "did you mean: " + strings.Join(found, ", or ")
	}
	return "see: " + cmd.CommandPath() + " --help"
}
