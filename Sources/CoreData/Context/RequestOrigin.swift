/// The context attributes that a request without objects runs with.
package struct RequestOrigin {
    package var mergePolicy: NSMergePolicy
    /// The attributes that persistent history records: those of the context that reaches the coordinator, which for a child
    /// is the topmost of its parents.
    package var author: String?
    package var contextName: String?

    package init(_ context: NSManagedObjectContext) {
        mergePolicy = context.mergePolicy as? NSMergePolicy ?? .error
        guard var root = context.ownParent else {
            author = context.transactionAuthor
            contextName = context.name
            return
        }
        while let parent = root.ownParent { root = parent }
        (author, contextName) = root.performAndWait { (root.transactionAuthor, root.name) }
    }
}
