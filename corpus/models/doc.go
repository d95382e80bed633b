// Package models has the words of language models: what they are, what a call to one costs, and
// how many calls may run at once.
//
// A [Model] has a name, a provider and prices. One reads documents, one embeds texts, one
// describes images; they are the [Slot]s of a server, and [InUse] says what is in them. What is
// set by the environment of a server wins over what is stored, and an answer says so.
//
// A [Call] is asked for before it is made, and may have to wait: [Limits.Grant] decides which of
// the calls that wait may go, for all servers of an installation together, whatever each of them
// sees. It is plain arithmetic on what the database says, so that it can be tested without one.
// A provider that fails or asks for rest is left alone for a while ([ThrottledBy]), and jobs that
// need it wait without losing an attempt ([ProviderWait]).
//
// What a call has used is a [TokenUsage]; [Model.CostOf] makes dollars of it. They add up in the
// [Spending] of a job, which its budget limits.
//
// An [Embedding] is a list of numbers that stands for what a text means. Two of them are compared
// by [Embedding.Cosine], and are stored beside the name of the model that made them, as those of
// different models say nothing about each other. A [Signature] is a short form of one that is
// compared very quickly: its bits differ about as much as the meanings do.
//
// The clients of the providers are in internal/llm.
package models
