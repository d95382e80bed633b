// Package naming says when two names are names of the same thing.
//
// [LabelKey] is the least that is done: lower case, and white space folded. It is what the database
// looks concepts up by.
//
// [IdentityKey] goes further. It folds what spelling varies without meaning anything else by it:
// accents, hyphens and apostrophes, British and American spelling, the plural of the last word, an
// article before the name, a title before a person, and the legal form after a company. It keeps
// what tells things apart: numbers, signs such as those in C++ and C#, words that only look like
// plurals, names that are words as well. [SameName] compares two names so.
//
// Both are pure functions of their text, with tables of English words beside them, and they do not
// change with what is in the graph: the key that was stored with a concept last year is compared
// with that of today. A change of a rule therefore comes with a migration, or is one that only
// parts what was wrongly one.
//
// [Name.SharesWords] says of a name that was read once whether it is worth comparing with another at
// all. [EditDistance] is for what people type: did you mean …?
//
// Short names, such as NLP, which only a document can explain, are in knowledge.AliasOf.
package naming
