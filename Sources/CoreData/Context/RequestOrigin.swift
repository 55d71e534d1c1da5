/// The context attributes that apply to a request without objects.
package struct RequestOrigin {
    package var mergePolicy: NSMergePolicy
    /// The attributes recorded in persistent history: those of the context on the coordinator, which for a child is its topmost
    /// ancestor.
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
