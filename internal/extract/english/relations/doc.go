// Package relations reads which relationship a sentence states between two names in it. What
// it knows is weights, learned from texts in which people marked names and relationships (see
// NOTICE and test/relations): a linear model says of what kind each name is, a person, an
// organisation, a place or a work, and another one what a pair of names is to each other, from
// their kinds and from the words between and around them. It knows words by their hashes, and no
// grammar: another language is another file.
//
// A probability of it is calibrated: of what is given with 0.8, eight in ten are annotated in
// texts that it has not learned from.
package relations
