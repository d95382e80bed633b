package english

import "testing"

func TestStatements(t *testing.T) {
	checkExamples(t, "", []example{
		{"active voice", "Heat stress causes coral bleaching.", "heat stress CAUSES coral bleaching"},
		{"the agent of a passive is the source", "The fever is caused by Plasmodium parasites.", "Plasmodium parasite CAUSES fever"},
		{"a shortened passive", "Damage caused by hailstorms ruins vineyards.", "hailstorm CAUSES damage"},
		{"a verb that looks like a noun", "Smoking causes lung cancer.", "smoking CAUSES lung cancer"},
		{"a list of objects", "The scheduler requires a database, a broker and a clock.", "scheduler REQUIRES database; scheduler REQUIRES broker; scheduler REQUIRES clock"},
		{"a list of subjects", "Deforestation and overgrazing cause erosion.", "overgrazing CAUSES erosion; deforestation CAUSES erosion"},
		{"two verbs of one subject", "The yeast produces alcohol and consumes sugar.", "yeast PRODUCES alcohol; yeast CONSUMES sugar"},
		{"a preposition belongs to the verb", "Archive storage depends on object replication.", "archive storage DEPENDS_ON object replication"},
		{"the subject is the head of its chain", "The growth of mangroves prevents erosion.", "growth PREVENTS erosion"},
		{"a relative clause", "The kernel loads a driver that uses interrupts.", "driver USES interrupt"},
		{"a verb after a relative clause", "The server that holds the lock uses a heartbeat.", "server USES heartbeat"},
		{"an inserted apposition", "The drug, a common painkiller, inhibits platelets.", "drug SPECIALIZES painkiller; drug PREVENTS platelet"},
		{"a definition", "A glacier is a river of ice. A fugue is a contrapuntal composition.", "glacier SPECIALIZES river; fugue SPECIALIZES contrapuntal composition"},
		{"a part", "The cochlea is a part of the ear.", "cochlea PART_OF ear"},
		{"composition", "Bronze is composed of copper and tin.", "bronze COMPOSED_OF copper; bronze COMPOSED_OF tin"},
		{"such as", "Grazers such as zebras, antelopes and gazelles follow the rain.", "zebra SPECIALIZES grazer; antelope SPECIALIZES grazer; gazelle SPECIALIZES grazer"},
		{"and other", "Zebras, antelopes and other grazers migrate.", "antelope SPECIALIZES grazer; zebra SPECIALIZES grazer"},
		{"including", "The port trades spices, including saffron and cumin.", "saffron SPECIALIZES spice; cumin SPECIALIZES spice"},
		{"called", "Glaciers deposit ridges of debris called moraines.", "moraine SPECIALIZES ridge"},

		{"a negation", "The scheduler does not require a broker. It never uses threads. No cache prevents starvation.", ""},
		{"a question", "Does coffee cause insomnia?", ""},
		{"a reported belief", "It was believed that comets cause plagues.", ""},
		{"a lack is not its object", "The lack of iron causes anaemia.", ""},
		{"an object with an infinitive", "Insulin causes cells to absorb glucose.", ""},
		{"an object clause with its own verb", "The lock that the leader holds requires nothing.", ""},
		{"a second clause is no list", "Most cameras contain a viewfinder, and compensation overrides the meter.", "camera HAS_PART viewfinder"},
		{"an empty class", "The oil crisis is a textbook case.", ""},
		{"what can be is not", "A comment can be a test.", ""},
	})
}
