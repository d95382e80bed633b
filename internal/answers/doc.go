// Package answers has what is said of a question and of the text of a passage, as pure functions
// over both: they read no table, keep no state, and are safe for concurrent use.
//
// Of a question: whether it asks what something is ([Asks]), for two things beside each other
// ([Comparison]), for all of a kind ([Listing]) or for what joins two things ([Relation]); what
// must be found as it is written ([Literals]); what kind of thing would answer it ([Expected]);
// and what it means after the questions before it ([Follow]).
//
// Of a passage: the terms that it defines ([Definitions]), the sentence that answers a question
// ([Question.Sentence]) and within it the name, date, number or place that does
// ([Question.Exact]); question and passage are read once for many of the other. Of several
// passages: where they contradict each other ([Contradictions]). Of what a model wrote: which
// passages bear it out ([Bearing]).
//
// All of it is rules. They are made to say nothing rather than something wrong: a definition, a
// contradiction or an exact answer that is shown is nearly always one. Places are bytes of the
// text that was given. English is read best; definitions and questions are also read in the
// languages of forms.go, and what needs no language works in any.
package answers
