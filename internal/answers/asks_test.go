package answers

import "testing"

func TestAsks(t *testing.T) {
	for question, want := range map[string]string{
		"What is a lane?":                    "lane",
		"what is the claim token":            "claim token",
		"What are lanes?":                    "lanes",
		"What's LISTEN/NOTIFY?":              "LISTEN/NOTIFY",
		"Who was Frédéric Chopin?":           "Frédéric Chopin",
		"define quorum":                      "quorum",
		"Definition of \"backlog\"":          "backlog",
		"what does WAL mean?":                "WAL",
		"What does HTTP stand for?":          "HTTP",
		"What is meant by backpressure?":     "backpressure",
		"tell me about lanes":                "lanes",
		"lane?":                              "lane",
		"claim token":                        "claim token",
		"What is --depth?":                   "--depth",
		"What is type affinity?":             "type affinity",
		"What is a shared library?":          "shared library",
		"What is a detached HEAD?":           "detached HEAD",
		"What is the University of Chicago?": "University of Chicago",
		"Was ist ein Vulkan?":                "Vulkan",
		"Wer war Ada Lovelace?":              "Ada Lovelace",
		"Was versteht man unter Kerning?":    "Kerning",
		"¿Qué es un volcán?":                 "volcán",
		"¿Quién fue Simón Bolívar?":          "Simón Bolívar",
		"¿Qué significa RAM?":                "RAM",
		"Qu'est-ce que la photosynthèse ?":   "photosynthèse",
		"Che cos'è un vulcano?":              "vulcano",
		"O que é um vulcão?":                 "vulcão",
		"Что такое вулкан?":                  "вулкан",
		"什么是数据库？":                            "数据库",
		"数据库是什么？":                            "数据库",
		"鲁迅是谁":                               "鲁迅",

		"What is the capital of France?":                "",
		"What is the difference between A and B?":       "",
		"What is used to treat water?":                  "",
		"What is called the father of it?":              "",
		"What is it?":                                   "",
		"Who is there?":                                 "",
		"What are the names of the lanes?":              "",
		"When was it built?":                            "",
		"How does the claim loop work?":                 "",
		"What is the only divisor that a number has?":   "",
		"What is the largest city in the world by area": "",
		"Why?":      "",
		"is it so?": "",
		"":          "",
		"???":       "",
	} {
		if got, ok := Asks(question); got != want || ok != (want != "") {
			t.Errorf("%q asks for %q (%v), want %q", question, got, ok, want)
		}
	}
}
