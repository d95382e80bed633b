// Package check is the kit that the rules of the domain are written with.
//
// A rule is a function that takes a value from outside and returns what it breaks as the end of a sentence,
// "must not be empty", or "" when it keeps it: [Name], [Range], [OneOf], [Instant] and so on. [Rules] collects them,
// each with the place that the value came from, and makes one error that names them all:
//
//	var r check.Rules
//	r.Add("query", "limit", check.Range(q.Limit, 1, 100))
//	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
//	return r.Err()
//
// [Data] and [Storable] say what JSON can be stored. A database would refuse the rest as well, but
// late, in its own words, and with the data in its log.
package check
