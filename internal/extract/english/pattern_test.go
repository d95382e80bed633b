package english

import "testing"

// TestHearstPatterns has a sentence for each way in which a text lists what belongs
// to a class (Hearst, "Automatic Acquisition of Hyponyms from Large Text Corpora",
// 1992).
func TestHearstPatterns(t *testing.T) {
	checkExamples(t, "", []example{
		{"such as", "Some spices such as cumin and saffron ripened.", "cumin SPECIALIZES spice; saffron SPECIALIZES spice"},
		{"such as, after a comma", "The forge makes tools, such as hammers.", "forge PRODUCES tool; hammer SPECIALIZES tool"},
		{"such as, of the nearest plural", "The kings of cities such as Palmyra fell.", "Palmyra INSTANTIATES city"},
		{"such as, of the first when that is the plural", "Vessels of clay such as urns are old.", "urn SPECIALIZES vessel"},
		{"such as, of no singular", "The metal such as tin melts.", ""},
		{"including", "They sell spices including cumin.", "cumin SPECIALIZES spice"},
		{", including", "The port trades spices, including saffron and cumin.", "saffron SPECIALIZES spice; cumin SPECIALIZES spice"},
		{", especially", "They study reptiles, especially geckos.", "gecko SPECIALIZES reptile"},
		{", notably", "They study reptiles, notably the gecko.", "gecko SPECIALIZES reptile"},
		{", namely", "They study reptiles, namely the gecko.", "gecko SPECIALIZES reptile"},
		{", for instance", "They study reptiles, for instance the gecko.", "gecko SPECIALIZES reptile"},
		{", for example", "They study reptiles, for example the gecko.", "gecko SPECIALIZES reptile"},
		{", for example,", "They study reptiles, for example, the gecko.", "gecko SPECIALIZES reptile"},
		{", e.g.", "They study reptiles, e.g. the gecko.", "gecko SPECIALIZES reptile"},
		{"like, before a name", "They visited cities like Palmyra.", "Palmyra INSTANTIATES city"},
		{"like, before no name", "They study reptiles like geckos.", ""},
		{"and other", "Lutes, zithers and other instruments hang there.", "lute SPECIALIZES instrument; zither SPECIALIZES instrument"},
		{"or other", "Bring a lute or other instruments.", "lute SPECIALIZES instrument"},
		{"and similar", "The lute and similar instruments are old.", "lute SPECIALIZES instrument"},
		{"and other, of the nearest alone", "The growth of ferns and other plants slows.", ""},
		{"and other, of no singular", "The lute and other music faded.", ""},
		{"called", "The mason cut a stone called a voussoir.", "voussoir SPECIALIZES stone"},
		{"known as", "The mason cut a stone known as a voussoir.", "voussoir SPECIALIZES stone"},
		{", known as", "The mason cut a stone, known as a voussoir.", "voussoir SPECIALIZES stone"},
		{"also called is an alias", "The mason cut a keystone, also called a voussoir.", ""},
		{"also known as, without a comma", "The mason cut a stone also known as a voussoir.", "voussoir SPECIALIZES stone"},
		{"called, of the phrase that agrees in number", "Glaciers deposit ridges of debris called moraines.", "moraine SPECIALIZES ridge"},
	})
}

func TestLists(t *testing.T) {
	checkExamples(t, "", []example{
		{"two", "The alloy contains cadmium and chromium.", "alloy HAS_PART cadmium; alloy HAS_PART chromium"},
		{"two, either", "The alloy contains cadmium or chromium.", "alloy HAS_PART cadmium; alloy HAS_PART chromium"},
		{"three", "The alloy contains cadmium, chromium and cobalt.", "alloy HAS_PART cadmium; alloy HAS_PART chromium; alloy HAS_PART cobalt"},
		{"three with a comma before the last", "The alloy contains cadmium, chromium, and cobalt.", "alloy HAS_PART cadmium; alloy HAS_PART chromium; alloy HAS_PART cobalt"},
		{"an ampersand ends it", "The alloy contains cadmium & chromium.", "alloy HAS_PART cadmium"},
		{"of chains", "The alloy contains grains of cadmium and flakes of cobalt.", "alloy HAS_PART grain; alloy HAS_PART flake"},
		{"commas alone make none", "The alloy contains cadmium, chromium.", "alloy HAS_PART cadmium"},
		{"a comma and an and start a clause", "The alloy contains cadmium, and chromium rusts.", "alloy HAS_PART cadmium"},
		{"a phrase with a verb of its own is none of it", "The alloy contains cadmium and chromium resists acid.", "alloy HAS_PART cadmium"},
		{"nor is what renames", "The guild employs the cog, a broad ship, and a barge.", "guild USES cog"},
	})
}

func TestHeads(t *testing.T) {
	checkExamples(t, "", []example{
		{"a head that says nothing passes the question on", "The mill requires a number of gears.", "mill REQUIRES gear"},
		{"what is missing is not there", "The absence of zinc causes anaemia.", ""},
		{"nor what changes", "The decline of the cod causes unrest.", ""},
		{"nor what is denied", "No enzyme requires zinc.", ""},
		{"nor what is neither", "Neither enzyme requires zinc.", ""},
		{"nor what a pronoun stands for", "They require zinc.", ""},
		{"what is in brackets has no part in the clause", "The enzyme (a protein) requires zinc.", "enzyme REQUIRES zinc"},
		{"of what somebody has, the thing counts", "The factory's kiln requires propane.", "kiln REQUIRES propane"},
	})
}
