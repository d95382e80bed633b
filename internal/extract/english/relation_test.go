package english

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
)

// statements returns the typed relationships of a text as "from TYPE to".
func statements(t *testing.T, text string) []string {
	t.Helper()
	e := extractFrom(t, newExtractor(t), text, kappa.ContentPlain)
	labels := map[string]string{}
	for _, c := range e.Concepts {
		labels[c.Key] = c.Label
	}
	var out []string
	for _, r := range e.Relationships {
		if r.Type != "RELATED_TO" {
			out = append(out, labels[r.From]+" "+r.Type+" "+labels[r.To])
		}
	}
	return out
}

func TestStatements(t *testing.T) {
	for _, tt := range []struct {
		behaviour, text string
		want            []string
	}{
		{"active voice", "Heat stress causes coral bleaching.", []string{"heat stress CAUSES coral bleaching"}},
		{"the agent of a passive is the source", "The fever is caused by Plasmodium parasites.", []string{"Plasmodium parasite CAUSES fever"}},
		{"a shortened passive", "Damage caused by hailstorms ruins vineyards.", []string{"hailstorm CAUSES damage"}},
		{"a verb that looks like a noun", "Smoking causes lung cancer.", []string{"smoking CAUSES lung cancer"}},
		{"a list of objects", "The scheduler requires a database, a broker and a clock.", []string{
			"scheduler REQUIRES database", "scheduler REQUIRES broker", "scheduler REQUIRES clock"}},
		{"a list of subjects", "Deforestation and overgrazing cause erosion.", []string{
			"overgrazing CAUSES erosion", "deforestation CAUSES erosion"}},
		{"two verbs of one subject", "The yeast produces alcohol and consumes sugar.", []string{
			"yeast PRODUCES alcohol", "yeast CONSUMES sugar"}},
		{"a preposition belongs to the verb", "Archive storage depends on object replication.", []string{"archive storage DEPENDS_ON object replication"}},
		{"the subject is the head of its chain", "The growth of mangroves prevents erosion.", []string{"growth PREVENTS erosion"}},
		{"a relative clause", "The kernel loads a driver that uses interrupts.", []string{"driver USES interrupt"}},
		{"a verb after a relative clause", "The server that holds the lock uses a heartbeat.", []string{"server USES heartbeat"}},
		{"an inserted apposition", "The drug, a common painkiller, inhibits platelets.", []string{
			"drug SPECIALIZES painkiller", "drug PREVENTS platelet"}},
		{"a definition", "A glacier is a river of ice. A fugue is a contrapuntal composition.", []string{
			"glacier SPECIALIZES river", "fugue SPECIALIZES contrapuntal composition"}},
		{"a part", "The cochlea is a part of the ear.", []string{"cochlea PART_OF ear"}},
		{"composition", "Bronze is composed of copper and tin.", []string{"bronze COMPOSED_OF copper", "bronze COMPOSED_OF tin"}},
		{"such as", "Grazers such as zebras, antelopes and gazelles follow the rain.", []string{
			"zebra SPECIALIZES grazer", "antelope SPECIALIZES grazer", "gazelle SPECIALIZES grazer", "grazer FOLLOWS rain"}},
		{"and other", "Zebras, antelopes and other grazers migrate.", []string{"antelope SPECIALIZES grazer", "zebra SPECIALIZES grazer"}},
		{"including", "The port trades spices, including saffron and cumin.", []string{"saffron SPECIALIZES spice", "cumin SPECIALIZES spice"}},
		{"called", "Glaciers deposit ridges of debris called moraines.", []string{"moraine SPECIALIZES ridge"}},

		{"a negation", "The scheduler does not require a broker. It never uses threads. No cache prevents starvation.", nil},
		{"a question", "Does coffee cause insomnia?", nil},
		{"a reported belief", "It was believed that comets cause plagues.", nil},
		{"a lack is not its object", "The lack of iron causes anaemia.", nil},
		{"an object with an infinitive", "Insulin causes cells to absorb glucose.", nil},
		{"an object clause with its own verb", "The lock that the leader holds requires nothing.", nil},
		{"a second clause is no list", "Most cameras contain a viewfinder, and compensation overrides the meter.", []string{"camera HAS_PART viewfinder"}},
		{"an empty class", "The oil crisis is a textbook case.", nil},
		{"what can be is not", "A comment can be a test.", nil},
	} {
		t.Run(tt.behaviour, func(t *testing.T) {
			got, want := statements(t, tt.text), slices.Clone(tt.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s\n got %q\nwant %q", tt.text, got, want)
			}
		})
	}
}
