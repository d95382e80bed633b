// Package postgres is the only one that speaks SQL. It stores jobs, lanes,
// workers, documents, the graph and accounts in the schema kg_api, and returns
// the domain's types and errors. The statements stand in queries/ with their
// reasons, and db/ is generated from there; the one that claims jobs is claim.sql.
//
// A method that changes a job commits before it returns, and then hands the job's new
// event, or its id, to Config.Committed, which notifies the watchers.
package postgres
