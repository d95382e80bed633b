package answers

import (
	"slices"
	"testing"
)

func TestFollow(t *testing.T) {
	for _, c := range []struct {
		thread   []string
		question string
		whole    string
		carried  []string
	}{
		{[]string{"Who built the Eiffel Tower?"}, "and when was it built?", "when was the Eiffel Tower built?", []string{"the Eiffel Tower"}},
		{[]string{"What is the claim token?"}, "What is its purpose?", "What is claim token's purpose?", []string{"claim token"}},
		{[]string{"Who was Frédéric Chopin?"}, "Where did he die?", "Where did Frédéric Chopin die?", []string{"Frédéric Chopin"}},
		{[]string{"Who was Frédéric Chopin?", "Where did he die?"}, "and of what?", "of what (Frédéric Chopin)?", []string{"Frédéric Chopin"}},
		{[]string{"Who was Frédéric Chopin?", "Where did he die?", "What is a lane?"}, "How many are in it?", "How many are in lane?", []string{"lane"}},
		{[]string{"What is the population of Paris?"}, "What about Berlin?", "What is the population of Berlin?", []string{"What is the population of"}},
		{[]string{"What is the population of Paris?"}, "and Berlin?", "What is the population of Berlin?", []string{"What is the population of"}},
		{[]string{"How does the claim loop work?"}, "Why?", "Why: How does the claim loop work?", []string{"How does the claim loop work?"}},
		{[]string{"How does the claim loop work?"}, "How often does it run?", "How often does the claim loop run?", []string{"the claim loop"}},
		{[]string{"Was ist ein Vulkan?"}, "Wann brach er zuletzt aus?", "Wann brach Vulkan zuletzt aus?", []string{"Vulkan"}},
		{[]string{"谁是鲁迅？"}, "他什么时候出生？", "鲁迅什么时候出生？", []string{"鲁迅"}},
		{[]string{"Where is Graz?"}, "Who lives there?", "Who lives in Graz?", []string{"Graz"}},

		{[]string{"Who built the Eiffel Tower?"}, "How tall is the Big Ben?", "How tall is the Big Ben?", nil},
		{[]string{"Who built the Eiffel Tower?"}, "How tall is the Eiffel Tower, and who owns it?", "How tall is the Eiffel Tower, and who owns it?", nil},
		{[]string{"Who built the Eiffel Tower?"}, "Is it possible to ask twice?", "Is it possible to ask twice?", nil},
		{[]string{"Who built the Eiffel Tower?"}, "How many lanes are there?", "How many lanes are there?", nil},
		{[]string{"Who built the Eiffel Tower?"}, "What is an ontology when it is empty?", "What is an ontology when it is empty?", nil},
		{nil, "and when was it built?", "and when was it built?", nil},
		{[]string{""}, "and when was it built?", "and when was it built?", nil},
		{[]string{"Who built the Eiffel Tower?"}, "", "", nil},
	} {
		whole, carried := Follow(c.thread, c.question)
		if whole != c.whole || !slices.Equal(carried, c.carried) {
			t.Errorf("%q, %q\n  means %q and carries %q\n  want  %q and %q", c.thread, c.question, whole, carried, c.whole, c.carried)
		}
	}
}
