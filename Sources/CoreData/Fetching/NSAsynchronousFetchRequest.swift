import Foundation

/// Called on the context's queue when an asynchronous fetch is done.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
    NSAsynchronousFetchResult<any NSFetchRequestResult>
) -> Void

/// Everything an asynchronous fetch says, whatever type its results have.
open class AsynchronousFetchRequestBase: NSPersistentStoreRequest {
    /// The expected number of results, for the progress; 0 is unknown.
    open var estimatedResultCount = 0

    /// The fetch to run.
    final let untypedFetchRequest: FetchRequestBase

    init(untyped request: FetchRequestBase) {
        untypedFetchRequest = request
        super.init()
    }

    /// The result object handed out at once and filled later.
    func makeResult(in context: NSManagedObjectContext, progress: Progress?) -> NSPersistentStoreAsynchronousResult {
        NSPersistentStoreAsynchronousResult(context: context, progress: progress)
    }
}

/// A fetch that runs in the background: `context.execute(_:)` returns at once.
///
/// The completion block runs on the context's queue. Pending changes of the context do not take part.
open class NSAsynchronousFetchRequest<ResultType>: AsynchronousFetchRequestBase
where ResultType: NSFetchRequestResult {
    /// The fetch to run.
    open internal(set) var fetchRequest: NSFetchRequest<ResultType>

    /// Called when the fetch is done or has failed.
    open internal(set) var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

    /// A request to run a fetch in the background.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init(untyped: request)
    }

    /// A copy with a copy of the fetch.
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

    /// A request without an entity, for code written against Objective-C's `init`.
    public convenience init() { self.init(fetchRequest: NSFetchRequest<ResultType>()) }
}

/// The result of an asynchronous fetch.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult, @unchecked Sendable
where ResultType: NSFetchRequestResult {
    /// The request this is the result of.
    open internal(set) var fetchRequest: NSAsynchronousFetchRequest<ResultType>

    /// What was fetched; nil until the fetch is done, and when it failed.
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

    /// A result of nothing, for code written against Objective-C's `init`.
    public convenience init() {
        self.init(request: NSAsynchronousFetchRequest(), context: NSManagedObjectContext(.privateQueue), progress: nil)
    }
}
