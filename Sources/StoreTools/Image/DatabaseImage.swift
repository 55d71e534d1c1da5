/// The pages of a database at one moment: those of its file, or of its log where that has newer ones.
///
/// Used by one thread at a time.
package protocol DatabasePages: AnyObject {
    /// The size of each page in bytes, a power of two from 512 to 65,536.
    var pageSize: Int { get }
    /// The number of bytes at the end of each page that are not used; nearly always 0.
    var reservedBytes: Int { get }
    /// The number of pages, counted from 1.
    var pageCount: Int { get }
    /// Passes the bytes of a page, always `pageSize` of them, zeros where the file ends early. The bytes are valid during
    /// the call.
    ///
    /// - Throws: An error if the file cannot be read.
    func withPage<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result
}
