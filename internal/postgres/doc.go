// Package postgres is the only one that speaks SQL. It stores jobs, lanes,
// workers, documents, the graph and accounts in the schema kg_api, and returns
// the root package's types and errors. Every statement stands in queries/ with
// its reason; db/ is generated from there.
//
// A method that changes a job commits before it returns, and then names the job
// to Config.Committed, which tells the watchers.
package postgres
