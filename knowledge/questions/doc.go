// Package questions has what may be asked of the graph, and what is answered.
//
// There is a file for each question: a search by meaning ([SearchQuery]), what is related to a concept
// ([RelatedQuery], [NeighborhoodQuery], [AroundQuery]), how two concepts are connected ([ConnectQuery],
// [ConnectBySearchQuery], [EnrichedPathQuery]), what is known of one ([ConceptQuery]) or of a relationship
// ([EdgeEvidenceQuery]), which concepts a graph turns on ([CentralityQuery], [CommunitiesQuery]), where concepts
// stand between two poles ([PolarityQuery]), and plain lists ([ConceptFilter], [EdgeFilter], [CatalogQuery]).
// A [Question] is one in words, which passages and models answer.
//
// A query has a method Validate, which reports every rule that it breaks at once, in the names that the API
// has for them. It needs no graph for that. What may be asked is bounded: how deep, how many, how far; an
// answer that was cut short says so ([Completeness]), so that nothing that is left out looks like nothing
// that is there.
//
// Three parts are common to most questions: [Measures] says what is to be computed for each concept,
// [RelationshipFilter] which relationships count, and [EpistemicFilter] which of their types.
//
// How a question is answered is not said here. internal/graph walks, in memory or by statements, through the
// functions that are declared here as [Neighbors] and [Beside].
package questions
