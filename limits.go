package kappa

// MaxOntologyName is how long the name of an ontology may be, in characters.
const MaxOntologyName = 200 // characters
