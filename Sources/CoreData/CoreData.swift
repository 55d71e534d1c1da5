// Importing CoreData brings Foundation and the predicate language with it, as Apple's module does.
@_exported import Foundation
@_exported import PredicateFormat
