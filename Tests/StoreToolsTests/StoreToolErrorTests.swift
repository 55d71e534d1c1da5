import StoreTools
import Testing

@Suite struct StoreToolErrorTests {
    @Test func anErrorIsOneSentenceAndTheNextStep() {
        let error = StoreToolError(.noModel, "The store Old.sqlite has no model.", advice: "Pass --model.")
        #expect("\(error)" == "The store Old.sqlite has no model. Pass --model.")
    }
}
