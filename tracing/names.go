package tracing

// Key is the name of what a span says, as the semantic conventions of OpenTelemetry have
// it; those that begin with kappa. are our own.
type Key string

// Who sends spans.
const (
	ServiceName     Key = "service.name"
	ServiceVersion  Key = "service.version"
	ServiceInstance Key = "service.instance.id" // the worker id of the process
)

// Requests over HTTP.
const (
	HTTPMethod Key = "http.request.method"
	HTTPRoute  Key = "http.route"
	HTTPStatus Key = "http.response.status_code"
	URLPath    Key = "url.path"
	URLScheme  Key = "url.scheme"
)

// Jobs, as messages that are sent and processed.
const (
	MessagingSystem        Key = "messaging.system"           // System
	MessagingOperation     Key = "messaging.operation.name"   // OperationSubmit or OperationProcess
	MessagingOperationType Key = "messaging.operation.type"   // TypeSend or TypeProcess
	MessagingDestination   Key = "messaging.destination.name" // the type of the job
	MessagingMessage       Key = "messaging.message.id"       // the id of the job
	JobAttempt             Key = "kappa.job.attempt"
	JobLane                Key = "kappa.job.lane"
	JobRetryOf             Key = "kappa.job.retry_of" // the job whose work is done again
	ChunkNumber            Key = "kappa.chunk.number" // from 1 on
	ChunkOf                Key = "kappa.chunk.count"
)

// Calls to models.
const (
	ModelOperation Key = "gen_ai.operation.name" // OperationChat or OperationEmbeddings
	ModelProvider  Key = "gen_ai.provider.name"
	ModelRequested Key = "gen_ai.request.model"
	ModelInput     Key = "gen_ai.usage.input_tokens"
	ModelOutput    Key = "gen_ai.usage.output_tokens"
	ModelCost      Key = "kappa.model.cost_usd" // what the call has cost, at the prices that are known
)

// Statements to the database.
const (
	DatabaseSystem Key = "db.system.name"          // DatabaseName
	DatabaseQuery  Key = "db.query.summary"        // the statement's name in queries/
	DatabaseStatus Key = "db.response.status_code" // the SQLSTATE of one that failed
)

// ErrorType is the kind of a failure: a word, never its text.
const ErrorType Key = "error.type"

// Values and the first words of the names of spans.
const (
	System              = "kappa"
	DatabaseName        = "postgresql"
	TypeSend            = "send"
	TypeProcess         = "process"
	OperationSubmit     = "submit"
	OperationProcess    = "process"
	OperationRead       = "read"  // a chunk, up to what is known of it
	OperationStore      = "store" // a chunk, in the graph
	TargetChunk         = "chunk"
	OperationChat       = "chat"
	OperationEmbeddings = "embeddings"
	OperationQuery      = "query"
)
