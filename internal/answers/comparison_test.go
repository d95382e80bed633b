package answers

import "testing"

func TestPairs(t *testing.T) {
	type pair struct{ a, b string }
	for name, c := range map[string]struct {
		read func(string) (string, string, bool)
		want map[string]pair
	}{
		"comparisons": {Comparison, map[string]pair{
			"What is the difference between a lane and a slot?": {"lane", "slot"},
			"differences between kg serve and kg worker":        {"kg serve", "kg worker"},
			"lanes vs slots":                                   {"lanes", "slots"},
			"compare PostgreSQL with SQLite":                   {"PostgreSQL", "SQLite"},
			"How does a lane differ from a queue?":             {"lane", "queue"},
			"How do lanes and queues differ?":                  {"lanes", "queues"},
			"Was ist der Unterschied zwischen Katze und Hund?": {"Katze", "Hund"},
			"¿Cuál es la diferencia entre un gato y un perro?": {"gato", "perro"},
			"猫和狗的区别是什么？":                                       {"猫", "狗"},
			"What is a lane?":                                  {},
			"Which one is bigger?":                             {},
			"lanes vs lanes":                                   {},
			"What made a big difference?":                      {},
		}},
		"relations": {Relation, map[string]pair{
			"How does a lane relate to a slot?":                                 {"lane", "slot"},
			"What is the relationship between Marie Curie and Warsaw?":          {"Marie Curie", "Warsaw"},
			"How are lanes and workers connected?":                              {"lanes", "workers"},
			"What has Ada Lovelace to do with Babbage?":                         {"Ada Lovelace", "Babbage"},
			"Welcher Zusammenhang besteht? Zusammenhang zwischen Mond und Flut": {"Mond", "Flut"},
			"¿Qué relación hay entre la luna y la marea?":                       {"luna", "marea"},
			"月亮和潮汐有什么关系？":                                                       {"月亮", "潮汐"},
			"How does the claim loop work?":                                     {},
			"":                                                                  {},
		}},
	} {
		for question, want := range c.want {
			a, b, ok := c.read(question)
			if (want == pair{}) != !ok || ok && (pair{a, b} != want) {
				t.Errorf("%s: %q is about %q and %q (%v), want %q", name, question, a, b, ok, want)
			}
		}
	}
}

func TestListing(t *testing.T) {
	for question, want := range map[string]string{
		"List all lanes":                      "lanes",
		"list the job types":                  "job types",
		"Show me all the settings":            "settings",
		"Which job types are there?":          "job types",
		"What kinds of lanes exist?":          "lanes",
		"What are all the statuses of a job?": "statuses of a job",
		"What lanes are there in Kappa?":      "lanes",
		"Liste alle Einstellungen auf":        "Einstellungen",
		"Welche Spuren gibt es?":              "Spuren",
		"¿Qué tipos hay?":                     "tipos",
		"列出所有设置":                              "设置",
		"Which lane runs the upkeep?":         "",
		"How many lanes are there?":           "",
		"What is a list?":                     "",
		"":                                    "",
	} {
		if got, ok := Listing(question); got != want || ok != (want != "") {
			t.Errorf("%q wants all %q (%v), want %q", question, got, ok, want)
		}
	}
}
