// Package vocabulary has the types of relationships: their names, what they mean, how sure one can be
// of them, and when two are one.
//
// A graph begins with the [BuiltinTypes], each in a category. Readers and people add others. So that
// they do not become hundreds that say nearly the same, there are [Limits]: the larger the vocabulary,
// the more readily similar types are made one ([Limits.Aggressiveness], a curve which a [Profile]
// draws). A proposed pair is a [MergeCandidate]; what is not certain waits for a person as a [Review].
// A [Merge] can be undone.
//
// Each type has a text that is embedded ([TextOf]), and by that it is compared with others
// ([SimilarTypes]) and sorted into a category ([ScoreCategories]). [Reverses] knows pairs that are alike
// and say the opposite.
//
// How far relationships of a type can be believed is measured now and then: a [Sample] of them is taken,
// and their concepts are projected on an [Axis] from what contradicts to what supports. The result is
// a status such as WELL_GROUNDED ([TypeEpistemic]), which questions can filter by.
//
// internal/vocabulary measures, and internal/jobs has the job types that keep order.
package vocabulary
