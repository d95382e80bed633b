// Package api is what the routes of the HTTP API answer, where that is more than one word
// of the domain: a page of a list with how many there are in all, what became of a job, what
// a deletion would take with it. The server writes these types, and package client reads
// them: each stands once.
//
//   - A name that ends in List is a page or a whole list. Where it has a Next, that is the
//     cursor of the next page, and nil after the last one; the methods All of the client
//     follow it.
//   - A name that ends in Reply or in a participle, such as [Renamed], is the answer to a
//     change. A job that was submitted is a [JobReply].
//   - The tags are the contract: json is the name of a field in an answer, and doc is what the
//     OpenAPI document says of it. A field is added, and none is renamed or taken away.
//
// What an answer is made of are the words of the rooms, such as work.Job and corpus.ListedDocument.
// The bodies of questions to the graph, such as [SearchRequest], stand here too, with their
// defaults: the client makes them of a question of package questions, and the server reads
// that question from them. What only the server reads, such as the bodies of other requests,
// stays with the route.
package api
