package answers

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestExpected(t *testing.T) {
	for question, want := range map[string]Kind{
		"Who built the Eiffel Tower?":                 KindPerson,
		"The tower was built by whom?":                KindPerson,
		"When was it built?":                          KindDate,
		"In what year did it open?":                   KindDate,
		"Where is the tower?":                         KindPlace,
		"In which city is it?":                        KindPlace,
		"How many people live there?":                 KindNumber,
		"How tall is it?":                             KindNumber,
		"What percentage of people own a car?":        KindNumber,
		"What is the population of Paris?":            KindNumber,
		"Which lane runs the upkeep?":                 KindName,
		"What theorem is the main one?":               KindName,
		"Why is the sky blue?":                        KindReason,
		"What is a lane?":                             KindOther,
		"How does the claim loop work?":               KindOther,
		"What happens when a worker dies?":            KindOther,
		"Wer baute den Turm?":                         KindPerson,
		"Wann wurde er gebaut?":                       KindDate,
		"Wo steht er?":                                KindPlace,
		"Wie viele Menschen leben dort?":              KindNumber,
		"Warum ist der Himmel blau?":                  KindReason,
		"¿Quién construyó la torre?":                  KindPerson,
		"¿Cuándo se construyó?":                       KindDate,
		"¿Dónde está?":                                KindPlace,
		"¿Cuántos habitantes tiene?":                  KindNumber,
		"谁建造了这座塔？":                                    KindPerson,
		"什么时候建成的？":                                    KindDate,
		"它在哪里？":                                       KindPlace,
		"有多少人？":                                       KindNumber,
		"":                                            KindOther,
		"The Rhine flows into which sea when in May?": KindPlace,
	} {
		if got := Expected(question); got != want {
			t.Errorf("%q expects a %s, want a %s", question, got, want)
		}
	}
}

func TestExact(t *testing.T) {
	for _, c := range []struct{ question, sentence, want string }{
		{"When did the war end?", "The war broke out in 1939 and ended on 8 May 1945.", "8 May 1945"},
		{"In what year did the war end?", "The war ended on May 8, 1945 in Europe.", "May 8, 1945"},
		{"When was it founded?", "It was founded in the late 19th century.", "the late 19th century"},
		{"When did the Romans come?", "The Romans came in 55 BC.", "55 BC"},
		{"How many people live in Graz?", "In 2020 about 290,000 people lived in Graz.", "290,000 people"},
		{"How long is the Rhine?", "The Rhine, in 1932 still longer, is 1,230 km long.", "1,230 km"},
		{"What percentage of them is rich?", "Of all 500 of them 12% are rich.", "12%"},
		{"How much did it cost?", "In 3 years it cost $2.5 million to build.", "$2.5 million"},
		{"How many lanes are there?", "There are three lanes and two servers.", "three"},
		{"Who designed the bridge?", "The bridge was designed by Anna Kolbe in Brno.", "Anna Kolbe"},
		{"Who was elected in 2010?", "In 2010 Maria Sanz was elected by the Senate of Spain.", "Maria Sanz"},
		{"Where did Chopin die?", "Chopin died in Paris of a disease.", "Paris"},
		{"Where do they live?", "They live in shallow waters all year.", "shallow waters"},
		{"Which river flows through Graz?", "The Mur River flows through Graz.", "Mur River"},
		{"What court case was it?", "It began with the case Brown v. Board of Education.", "Brown v. Board of Education"},
		{"Besides Auckland, which city has one?", "Auckland and Hamilton have one.", "Hamilton"},
		{"Wann wurde der Turm gebaut?", "Der Turm wurde im Jahr 1889 gebaut.", "1889"},
		{"Wann wurde der Turm gebaut?", "Der Turm wurde am 3. März 1889 in fünf Jahren gebaut.", "3. März 1889"},
		{"什么时候建成的？", "这座塔于1889年建成。", "1889年"},
		{"When did it begin?", "It began with a song.", ""},
		{"How many are there?", "There are many of them.", ""},
		{"Why is it so?", "It is so since 1990.", ""},
		{"What is a lane?", "A lane is a queue.", ""},
	} {
		at, ok := NewQuestion(c.question, nil).Exact(NewPassage(c.sentence, true), corpus.Span{End: len(c.sentence)})
		if got := c.sentence[at.Start:at.End]; got != c.want || ok != (c.want != "") {
			t.Errorf("%q of %q is %q (%v), want %q", c.question, c.sentence, got, ok, c.want)
		}
	}
}
