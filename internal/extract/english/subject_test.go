package english

import "testing"

// TestSubjects has a sentence for each way to find what a verb is said of.
func TestSubjects(t *testing.T) {
	checkExamples(t, "", []example{
		{"right before the verb", "The turbine requires steam.", "turbine REQUIRES steam"},
		{"the first of a chain", "The blade of the turbine requires steel.", "blade REQUIRES steel"},
		{"the plural of a chain, for a plural verb", "The blades of the turbine require steel.", "blade REQUIRES steel"},
		{"two of a plural verb", "The turbine and the pump require steam.", "turbine REQUIRES steam; pump REQUIRES steam"},
		{"three", "The turbine, the pump and the boiler require steam.", "turbine REQUIRES steam; pump REQUIRES steam; boiler REQUIRES steam"},
		{"either of two", "The turbines or the pumps require steam.", "turbine REQUIRES steam; pump REQUIRES steam"},
		{"only the last of a singular verb", "It has a turbine and the pump requires steam.", "pump REQUIRES steam"},
		{"what was exemplified", "Machines such as turbines require steam.", "machine REQUIRES steam; turbine SPECIALIZES machine"},
		{"a shortened clause", "A boiler containing steam is hot.", "boiler HAS_PART steam"},
		{"a shortened passive", "An alloy used by the turbine is hard.", "turbine USES alloy"},
		{"a relative clause", "The turbine that requires steam is old.", "turbine REQUIRES steam"},
		{"which", "The turbine, which requires steam, is old.", "turbine REQUIRES steam"},
		{"who", "The engineer who designed the turbine is old.", "engineer PRODUCES turbine"},
		{"the one that agrees with the verb", "The blades of the turbine that requires steam are old.", "turbine REQUIRES steam"},
		{"the other one", "The blades of the turbine that require steam are old.", "blade REQUIRES steam"},
		{"after a relative clause", "The engineer who owns the pump designed the turbine.", "engineer OWNS pump; engineer PRODUCES turbine"},
		{"before an insertion", "The turbine, a machine, requires steam.", "turbine REQUIRES steam; turbine SPECIALIZES machine"},
		{"before an inserted clause", "The turbine, which is old, requires steam.", "turbine REQUIRES steam"},
		{"shared by two verbs", "The turbine requires steam and produces electricity.", "turbine REQUIRES steam; turbine PRODUCES electricity"},
		{"shared by three", "The turbine requires steam, consumes water and produces electricity.", "turbine REQUIRES steam; turbine CONSUMES water; turbine PRODUCES electricity"},
		{"not by a verb that does not agree", "The turbine requires steam and produce electricity.", "turbine REQUIRES steam"},
		{"nobody's, of an infinitive", "They want to design a turbine.", ""},
		{"nobody's, of using", "They drive the pump using a turbine.", ""},
		{"nobody's, when the object went ahead", "The steam that the turbine requires is hot.", ""},
		{"nobody's, in a plural that does not agree", "The turbine require steam.", ""},
		{"a number is none", "The crisis of 1973 caused a riot.", "crisis CAUSES riot"},
	})
}

// TestConfidence checks how directly a text states something.
func TestConfidence(t *testing.T) {
	for _, c := range []struct {
		rule, text string
		want       float64
	}{
		{"a verb", "The turbine requires steam.", confidenceStated},
		{"a definition", "The turbine is a machine.", confidenceStated},
		{"a relative clause", "The turbine that requires steam is old.", confidenceReduced},
		{"a shortened clause", "A turbine containing steam is old.", confidenceReduced},
		{"a modal", "The turbine may require steam.", confidenceHedged},
		{"a list", "Machines such as turbines are old.", confidenceListed},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r, _ := readingOf(t, c.text)
			if err := r.state(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(r.statements) != 1 || r.statements[0].confidence != c.want {
				t.Errorf("%s: %+v, want one of %v", c.text, r.statements, c.want)
			}
		})
	}
}

// TestHypothetical has a sentence for each word that marks what is reported or denied.
func TestHypothetical(t *testing.T) {
	checkExamples(t, "", []example{
		{"none", "The comet causes a plague.", "comet CAUSES plague"},
		{"believed", "It was believed that the comet causes a plague.", ""},
		{"thought", "They thought that the comet causes a plague.", ""},
		{"claimed", "They claimed that the comet causes a plague.", ""},
		{"alleged", "They alleged that the comet causes a plague.", ""},
		{"supposedly", "The comet supposedly causes a plague.", ""},
		{"allegedly", "The comet allegedly causes a plague.", ""},
		{"myth", "It is a myth that the comet causes a plague.", ""},
		{"misconception", "It is a misconception that the comet causes a plague.", ""},
		{"contrary", "Contrary to reason, the comet causes a plague.", ""},
		{"whether", "They ask whether the comet causes a plague.", ""},
		{"mistakenly", "They say mistakenly that the comet causes a plague.", ""},
		{"wrongly", "They say wrongly that the comet causes a plague.", ""},
		{"falsely", "They say falsely that the comet causes a plague.", ""},
		{"a question", "The comet causes a plague?", ""},
		{"not", "The comet does not cause a plague.", ""},
		{"never", "The comet never causes a plague.", ""},
		{"hardly", "The comet hardly causes a plague.", ""},
		{"cannot", "The comet cannot cause a plague.", ""},
		{"no", "No comet causes a plague.", ""},
		{"with an infinitive it is another's", "The comet causes panic to grow.", ""},
		{"prevented from", "The comet prevents sailors from sleeping.", ""},
	})
}
