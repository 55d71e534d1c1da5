import Foundation

/// A block that is called on the context's queue when an asynchronous fetch has ended.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
    NSAsynchronousFetchResult<any NSFetchRequestResult>
) -> Void

/// The base of asynchronous fetch requests, independent of the type of their results.
open class AsynchronousFetchRequestBase: NSPersistentStoreRequest {
    /// The expected number of results, for the progress; 0 if unknown.
    open var estimatedResultCount = 0

    /// The request to execute.
    final let untypedFetchRequest: FetchRequestBase

    init(untyped request: FetchRequestBase) {
        untypedFetchRequest = request
        super.init()
    }

    /// Returns the result object that is returned immediately and filled later.
    func makeResult(in context: NSManagedObjectContext, progress: Progress?) -> NSPersistentStoreAsynchronousResult {
        NSPersistentStoreAsynchronousResult(context: context, progress: progress)
    }
}

/// A request to fetch asynchronously: `context.execute(_:)` returns immediately.
///
/// The completion block runs on the context's queue. Pending changes of the context are not considered.
open class NSAsynchronousFetchRequest<ResultType>: AsynchronousFetchRequestBase
where ResultType: NSFetchRequestResult {
    /// The request to execute.
    open internal(set) var fetchRequest: NSFetchRequest<ResultType>

    /// The block that is called when the fetch has ended or failed.
    open internal(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

    /// Creates a request to fetch asynchronously.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init(untyped: request)
    }

    /// Returns a copy with a copy of the fetch request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let request = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        let copy = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: completionBlock)
        copy.assign(from: self)
        copy.estimatedResultCount = estimatedResultCount
        return copy
    }

    override func makeResult(
        in context: NSManagedObjectContext,
        progress: Progress?
    ) -> NSPersistentStoreAsynchronousResult {
        NSAsynchronousFetchResult(request: self, context: context, progress: progress)
    }

    /// Creates a request without an entity, for code written against Objective-C's `init`.
    public convenience init() { self.init(fetchRequest: NSFetchRequest<ResultType>()) }
}

/// The result of an asynchronous fetch.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult, @unchecked Sendable
where ResultType: NSFetchRequestResult {
    /// The request that produced this result.
    open internal(set) var fetchRequest: NSAsynchronousFetchRequest<ResultType>

    /// The fetched results; nil until the fetch has ended, and if it failed.
    open internal(set) var finalResult: [ResultType]?

    init(request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext, progress: Progress?) {
        fetchRequest = request
        super.init(context: context, progress: progress)
    }

    override func finish(with outcome: Result<[Any], any Error>) {
        switch outcome {
        case .success(let values): finalResult = values.map { $0 as! ResultType }
        case .failure(let error): operationError = error
        }
        fetchRequest.completionBlock?(self)
    }

    /// Creates an empty result, for code written against Objective-C's `init`.
    public convenience init() {
        self.init(request: NSAsynchronousFetchRequest(), context: NSManagedObjectContext(.privateQueue), progress: nil)
    }
}
